#!lua
-- Holds capacity in the pool of a model for a session. Idempotent by session id. While the pool can grow, it accepts as
-- many sessions as it can serve at its maximum size. While that number is unknown, every claim succeeds. A pool that
-- cannot grow accepts as many sessions as it has slots.
-- KEYS  1 pool
-- ARGV  1 session id  2 expiry of the hold, ms  3 time for which a refused session counts as demand, ms
-- returns 1 if capacity is held | 0 if streams, queued streams and other holds take all of it
local base = string.sub(KEYS[1], 1, -2)
local pool = redis.call('HMGET', KEYS[1], 'grow', 'capacity', 'slots')
local capacity = tonumber(pool[2] or '')
if (pool[1] == '0' or capacity) and not redis.call('ZSCORE', base .. 'h', ARGV[1]) then
  -- @include now_ms
  local now = now_ms()
  redis.call('ZREMRANGEBYSCORE', base .. 'h', '-inf', now)
  local limit = tonumber(pool[3] or 0)
  if pool[1] ~= '0' then limit = math.max(limit, capacity) end
  local taken = redis.call('ZCARD', base .. 'h') + redis.call('HLEN', base .. 'a') + redis.call('ZCARD', base .. 'qs')
  if taken >= limit then
    -- A worker that has lowered its slots can have more streams than slots. The extra streams take no slots of other
    -- workers, so they are added to the limit.
    local over = redis.call('ZRANGEBYSCORE', base .. 'free', '-inf', '(0', 'WITHSCORES')
    for i = 2, #over, 2 do limit = limit - tonumber(over[i]) end
  end
  if taken >= limit then
    if tonumber(ARGV[3]) > 0 then
      redis.call('ZREMRANGEBYSCORE', base .. 'r', '-inf', now)
      redis.call('ZADD', base .. 'r', now + ARGV[3], ARGV[1])
      redis.call('PEXPIRE', base .. 'r', ARGV[3])
    end
    return 0
  end
end
redis.call('ZREM', base .. 'r', ARGV[1])
redis.call('ZADD', base .. 'h', ARGV[2], ARGV[1])
return 1
