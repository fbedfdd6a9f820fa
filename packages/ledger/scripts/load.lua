#!lua flags=allow-oom
-- Returns the load and the capacity of a pool.
-- KEYS  1 pool
-- returns { now, active streams, held sessions, queued streams, slots, workers, recently refused sessions }
-- @include now_ms
-- @include workers
-- @include queue
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
drop_dead(base, now)
redis.call('ZREMRANGEBYSCORE', base .. 'h', '-inf', now)
redis.call('ZREMRANGEBYSCORE', base .. 'r', '-inf', now)
first_in_queue(base, now)
return { now, redis.call('HLEN', base .. 'a'), redis.call('ZCARD', base .. 'h'), redis.call('ZCARD', base .. 'qs'),
  tonumber(redis.call('HGET', base .. 'p', 'slots') or 0), redis.call('ZCARD', base .. 'wl'),
  redis.call('ZCARD', base .. 'r') }
