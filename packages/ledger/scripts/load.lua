#!lua flags=allow-oom
-- What is asked of a pool and what it has.
-- KEYS  1 pool
-- returns { now, active, held, waiting, slots, workers }
-- @include now_ms
-- @include workers
-- @include line
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
drop_dead(base, now)
redis.call('ZREMRANGEBYSCORE', base .. 'h', '-inf', now)
first_in_line(base, now)
return { now, redis.call('HLEN', base .. 'a'), redis.call('ZCARD', base .. 'h'), redis.call('ZCARD', base .. 'qs'),
  tonumber(redis.call('HGET', base .. 'p', 'slots') or 0), redis.call('ZCARD', base .. 'wl') }
