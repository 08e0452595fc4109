-- KEYS: every key of the lock. ARGV[1]: token. ARGV[2]: time to live in ms. Returns 1 when all keys carry the token now, 0 when another token holds one of them (then none is changed).
for _, key in ipairs(KEYS) do
  local holder = redis.call('GET', key)
  if holder and holder ~= ARGV[1] then
    return 0
  end
end
for _, key in ipairs(KEYS) do
  -- A key that carries the token already keeps its deadline: this is a repetition.
  redis.call('SET', key, ARGV[1], 'PX', ARGV[2], 'NX')
end
return 1
