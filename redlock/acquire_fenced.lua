-- KEYS: every key of the lock, then the counter of each. ARGV[1]: token. ARGV[2]: time to live in ms. Returns the highest counter (0 or more) when all keys carry the token now, -1 when another token holds one of them (then none is changed).
local half = #KEYS / 2
for i = 1, half do
  local holder = redis.call('GET', KEYS[i])
  if holder and holder ~= ARGV[1] then
    return -1
  end
end
local highest = 0
for i = 1, half do
  -- A key that carries the token already keeps its deadline: this is a repetition.
  redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2], 'NX')
  highest = math.max(highest, tonumber(redis.call('GET', KEYS[half + i]) or '0'))
end
return highest
