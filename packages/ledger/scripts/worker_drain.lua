#!lua flags=allow-oom
-- A worker gets no new streams any more.
-- KEYS  1 pool
-- ARGV  1 worker
local base = string.sub(KEYS[1], 1, -2)
local w = redis.call('HMGET', base .. 'w:' .. ARGV[1], 'slots', 'draining')
if not w[1] or w[2] == '1' then return 0 end
redis.call('HSET', base .. 'w:' .. ARGV[1], 'draining', 1)
redis.call('ZREM', base .. 'free', ARGV[1])
redis.call('HINCRBY', base .. 'p', 'slots', -w[1])
return 1
