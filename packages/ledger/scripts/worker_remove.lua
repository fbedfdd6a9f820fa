#!lua flags=allow-oom
-- Removes a worker that shuts down.
-- KEYS  1 pool
-- ARGV  1 worker
-- @include workers
forget_worker(string.sub(KEYS[1], 1, -2), ARGV[1])
return 'ok'
