#!lua flags=allow-oom
-- A worker goes: by itself, or for good after it was drained.
-- KEYS  1 pool
-- ARGV  1 worker
-- @include workers
forget_worker(string.sub(KEYS[1], 1, -2), ARGV[1])
return 'ok'
