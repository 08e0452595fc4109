-- KEYS: every key of the lock, then the counter of each. ARGV[1]: token. ARGV[2]: fencing token. ARGV[3]: how long the counters stay in ms, 0 for ever. Raises every counter to the fencing token. Returns 1 when all keys carried the token and all counters were lower, 0 when another token holds one of the keys, -1 when a key was missing, -2 when a counter was not lower (then none is changed).
local half = #KEYS / 2
for i = 1, half do
  local holder = redis.call('GET', KEYS[i])
  if not holder then
    return -1
  elseif holder ~= ARGV[1] then
    return 0
  end
end
for i = half + 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or '0') >= tonumber(ARGV[2]) then
    return -2
  end
end
for i = half + 1, #KEYS do
  if ARGV[3] == '0' then
    redis.call('SET', KEYS[i], ARGV[2])
  else
    redis.call('SET', KEYS[i], ARGV[2], 'PX', ARGV[3])
  end
end
return 1
