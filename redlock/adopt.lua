-- KEYS: every key of the lock. ARGV[1]: new token. ARGV[2]: time to live in ms. ARGV[3]: token of the giver. Returns 1 when all keys carried the giver's token, or already the new one, and now carry the new one for at least the time to live, 0 when another token holds one of them, -1 when a key was missing and none is held by another (then none is changed).
local missing = false
for _, key in ipairs(KEYS) do
  local holder = redis.call('GET', key)
  if not holder then
    missing = true
  elseif holder ~= ARGV[3] and holder ~= ARGV[1] then
    return 0
  end
end
if missing then
  return -1
end
for _, key in ipairs(KEYS) do
  -- Never shorten what the new token already has.
  if redis.call('GET', key) == ARGV[3] or redis.call('PTTL', key) < tonumber(ARGV[2]) then
    redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
  end
end
return 1
