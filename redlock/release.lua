-- KEYS: every key of the lock. ARGV[1]: token. Deletes the keys that carry it. Returns 1 when it deleted all of them, 0 when another token holds one of them, -1 when some were missing and none is held by another.
local deleted = 0
local other = false
for _, key in ipairs(KEYS) do
  local holder = redis.call('GET', key)
  if holder == ARGV[1] then
    deleted = deleted + redis.call('DEL', key)
  elseif holder then
    other = true
  end
end
if other then
  return 0
end
if deleted == #KEYS then
  return 1
end
return -1
