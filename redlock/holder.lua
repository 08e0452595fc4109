-- KEYS: the key of one resource. No ARGV. Returns how long it lives in ms (-1: for ever), a space and its value, or nil if there is no such key.
local holder = redis.call('GET', KEYS[1])
if not holder then
  return false
end
return redis.call('PTTL', KEYS[1]) .. ' ' .. holder
