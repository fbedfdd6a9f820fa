#!lua flags=allow-oom
-- Releases a session's slot, its hold and its place in the queue.
-- KEYS  1 pool
-- ARGV  1 session  2 tenant
-- @include workers
-- @include queue
local base = string.sub(KEYS[1], 1, -2)
free_slot(base, ARGV[1])
leave_queue(base, ARGV[1], ARGV[2])
redis.call('ZREM', base .. 'h', ARGV[1])
return 'ok'
