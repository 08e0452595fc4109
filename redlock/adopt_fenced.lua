-- KEYS: every key of the lock, then the counter of each. ARGV[1]: new token. ARGV[2]: time to live in ms. ARGV[3]: token of the giver. Returns the highest counter (0 or more) when all keys carried the giver's token, or already the new one, and now carry the new one for at least the time to live, -1 when another token holds one of them, -2 when a key was missing and none is held by another (then none is changed).
local half = #KEYS / 2
local missing = false
for i = 1, half do
  local holder = redis.call('GET', KEYS[i])
  if not holder then
    missing = true
  elseif holder ~= ARGV[3] and holder ~= ARGV[1] then
    return -1
  end
end
if missing then
  return -2
end
local highest = 0
for i = 1, half do
  -- Never shorten what the new token already has.
  if redis.call('GET', KEYS[i]) == ARGV[3] or redis.call('PTTL', KEYS[i]) < tonumber(ARGV[2]) then
    redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2])
  end
  highest = math.max(highest, tonumber(redis.call('GET', KEYS[half + i]) or '0'))
end
return highest
