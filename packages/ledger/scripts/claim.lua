#!lua
-- Holds a place in a model's pool for a session, idempotent by its id. While the pool can grow there is always one.
-- KEYS  1 pool
-- ARGV  1 session id  2 how long the place is held, ms
-- returns 1 | 0 when every place is taken
-- @include now_ms
local now = now_ms()
local holds = string.sub(KEYS[1], 1, -2) .. 'h'
redis.call('ZREMRANGEBYSCORE', holds, '-inf', now)
local pool = redis.call('HMGET', KEYS[1], 'grow', 'slots')
local free = pool[1] ~= '0' or redis.call('ZCARD', holds) < tonumber(pool[2])
if not free and not redis.call('ZSCORE', holds, ARGV[1]) then return 0 end
redis.call('ZADD', holds, now + tonumber(ARGV[2]), ARGV[1])
return 1
