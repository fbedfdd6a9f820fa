#!lua flags=allow-oom
-- Stops a worker from receiving new streams.
-- KEYS  1 pool
-- ARGV  1 worker
-- @include workers
-- @include excess
local base = string.sub(KEYS[1], 1, -2)
local w = redis.call('HMGET', base .. 'w:' .. ARGV[1], 'slots', 'draining', 'revision')
if not w[1] or w[2] == '1' then return 0 end
redis.call('HSET', base .. 'w:' .. ARGV[1], 'draining', 1)
drop_free(base, ARGV[1], w[3])
redis.call('HINCRBY', base .. 'p', 'slots', 0 - w[1])
advance_excess(base, ARGV[1])
return 1
