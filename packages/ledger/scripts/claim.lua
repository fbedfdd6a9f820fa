#!lua
-- Holds capacity in the pool of a model for a session. Idempotent by session id. Always succeeds while the pool can
-- grow.
-- KEYS  1 pool
-- ARGV  1 session id  2 expiry of the hold, ms
-- returns 1 | 0 if every slot is in use or held
local base = string.sub(KEYS[1], 1, -2)
if redis.call('HGET', KEYS[1], 'grow') == '0' and not redis.call('ZSCORE', base .. 'h', ARGV[1]) then
  -- @include now_ms
  redis.call('ZREMRANGEBYSCORE', base .. 'h', '-inf', now_ms())
  local taken = redis.call('ZCARD', base .. 'h') + redis.call('HLEN', base .. 'a') + redis.call('ZCARD', base .. 'qs')
  if taken >= tonumber(redis.call('HGET', KEYS[1], 'slots') or 0) then return 0 end
end
redis.call('ZADD', base .. 'h', ARGV[2], ARGV[1])
return 1
