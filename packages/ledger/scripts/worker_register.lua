#!lua
-- Registers a worker with its address and slots. A worker also calls this after its lease has expired.
-- KEYS  1 pool
-- ARGV  1 worker  2 address  3 revision  4 slots  5 lease ms  6 streams it already has
-- @include now_ms
-- @include workers
local base = string.sub(KEYS[1], 1, -2)
local id, slots = ARGV[1], tonumber(ARGV[4])
forget_worker(base, id)
redis.call('HSET', base .. 'w:' .. id, 'address', ARGV[2], 'revision', ARGV[3], 'slots', slots, 'active', ARGV[6], 'draining', 0)
redis.call('HINCRBY', base .. 'p', 'slots', slots)
redis.call('ZADD', base .. 'wl', now_ms() + tonumber(ARGV[5]), id)
add_free(base, id, ARGV[3], slots - ARGV[6])
return 'ok'
