#!lua flags=allow-oom
-- Removes a worker that shuts down or has ended, and releases the slots of its streams.
-- KEYS  1 pool
-- ARGV  1 worker
-- @include workers
local base = string.sub(KEYS[1], 1, -2)
forget_worker(base, ARGV[1])
drop_streams(base, ARGV[1])
return 'ok'
