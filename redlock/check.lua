-- KEYS: keys that belong to this check alone. ARGV[1]: token. ARGV[2]: time to live in ms. Runs every command of the other scripts and leaves no key. Returns 1.
for _, key in ipairs(KEYS) do
  redis.call('GET', key)
  redis.call('PTTL', key)
  redis.call('PEXPIRE', key, ARGV[2])
  redis.call('DEL', key)
  -- Last, so that a user who lacks one of the others leaves nothing.
  redis.call('SET', key, ARGV[1], 'PX', ARGV[2], 'NX')
  redis.call('DEL', key)
end
return 1
