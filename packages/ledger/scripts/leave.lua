#!lua flags=allow-oom
-- A session needs its slot, its hold and its place in the line no more.
-- KEYS  1 pool
-- ARGV  1 session  2 tenant
-- @include workers
-- @include line
local base = string.sub(KEYS[1], 1, -2)
free_slot(base, ARGV[1])
leave_line(base, ARGV[1], ARGV[2])
redis.call('ZREM', base .. 'h', ARGV[1])
return 'ok'
