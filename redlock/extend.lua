-- KEYS: every key of the lock. ARGV[1]: token. ARGV[2]: time to live in ms. ARGV[3]: 'restore' sets missing keys, 'keep' changes nothing if one is missing. Returns 1 when all keys carried the token and now live for at least the time to live, -1 when keys were missing and all carry the token now, -2 when keys were missing and none was changed, 0 when another token holds one of them (then none is changed).
local missing = false
for _, key in ipairs(KEYS) do
  local holder = redis.call('GET', key)
  if not holder then
    missing = true
  elseif holder ~= ARGV[1] then
    return 0
  end
end
if missing and ARGV[3] ~= 'restore' then
  return -2
end
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then
    redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
  elseif redis.call('PTTL', key) < tonumber(ARGV[2]) then
    -- Never shorten: a delayed extension by less must not cut a later one by more. A server without memory refuses SET, but not this.
    redis.call('PEXPIRE', key, ARGV[2])
  end
end
if missing then
  return -1
end
return 1
