#!lua flags=allow-oom
-- Renews the lease of a worker, and sets its slots if they have changed.
-- KEYS  1 pool
-- ARGV  1 worker  2 lease ms  3 slots. Workers of the previous version do not send them.
-- returns 'ok' | 'draining' | 'gone' if the worker has no record, for example because its lease had expired; the worker
--   must then register again
-- @include now_ms
-- @include serve_queue
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
drop_dead(base, now)
local draining = redis.call('HGET', base .. 'w:' .. ARGV[1], 'draining')
if not draining then return 'gone' end
renew_lease(base .. 'wl', ARGV[1], now, ARGV[2])
if ARGV[3] then resize_worker(base, ARGV[1], tonumber(ARGV[3])) end
-- If the Redis user has only the rights of the previous version, serve_queue fails. The worker must still be able to
-- renew its lease.
pcall(serve_queue, base, now)
return draining == '1' and 'draining' or 'ok'
