#!lua flags=allow-oom
-- Releases what a session has in the pool: its slot, its place in the queue, and the capacity that is held for it until
-- it connects. If a call of place.lua for the session arrives afterwards, place.lua refuses the call.
-- KEYS  1 pool
-- ARGV  1 session  2 tenant  3 time for which place.lua is refused, ms
-- @include now_ms
-- @include serve_queue
local base = string.sub(KEYS[1], 1, -2)
redis.call('SET', base .. 'x:' .. ARGV[1], '1', 'PX', ARGV[3])
free_slot(base, ARGV[1])
leave_queue(base, ARGV[1], ARGV[2])
redis.call('ZREM', base .. 'h', ARGV[1])
serve_queue(base, now_ms())
return 'ok'
