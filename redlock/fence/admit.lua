-- KEYS[1]: the resource. KEYS[2]: its high-water mark. ARGV[1]: fencing token. Raises the mark to the token; answers the error STALE when the mark is larger, before anything below runs.
do
  local mark = tonumber(redis.call('GET', KEYS[2]) or '0')
  local token = tonumber(ARGV[1])
  if not token or token < 1 then
    return redis.error_reply('STALE no fencing token')
  end
  if token < mark then
    return redis.error_reply('STALE fencing token ' .. ARGV[1] .. ' after ' .. string.format('%.0f', mark))
  end
  if token > mark then
    redis.call('SET', KEYS[2], ARGV[1])
  end
end
