-- KEYS: every key of the lock. ARGV[1]: token. ARGV[2]: only of an adopted lock, the giver's token. Deletes the keys that carry either. Returns 1 when it deleted all of them, 0 when another token holds one of them, -1 when some were missing and none is held by another.
local deleted = 0
local other = false
for _, key in ipairs(KEYS) do
  local holder = redis.call('GET', key)
  if holder and (holder == ARGV[1] or holder == ARGV[2]) then
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
