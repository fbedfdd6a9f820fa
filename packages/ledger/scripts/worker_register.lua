#!lua
-- Registers a worker with its addresses and slots. A worker also calls this after its lease has expired. It then still
-- has those of its streams that neither moved nor ended.
-- KEYS  1 pool
-- ARGV  1 worker  2 address  3 revision  4 slots  5 lease ms  6 further addresses, separated by spaces  7 name of the
--   GPU, or empty  8 tier, or empty  9 slots that the worker measured at its start  10 contexts of its model as
--   LEFT,RIGHT, separated by spaces. Workers of earlier versions do not send all of these values. Gateways of earlier
--   versions use only the first address.
-- @include now_ms
-- @include serve_queue
local base = string.sub(KEYS[1], 1, -2)
local id, slots = ARGV[1], tonumber(ARGV[4])
forget_worker(base, id)
local active = count_streams(base, id)
redis.call('HSET', base .. 'w:' .. id, 'address', ARGV[2], 'revision', ARGV[3], 'slots', slots, 'active', active, 'draining', 0,
  'further', ARGV[6] or '', 'device', ARGV[7] or '', 'tier', ARGV[8] or '', 'measured', ARGV[9] or slots)
redis.call('HINCRBY', base .. 'p', 'slots', slots)
-- The contexts are stored in the pool, because a model is listed with its contexts even if it has no workers.
if (ARGV[10] or '') ~= '' then redis.call('HSET', base .. 'p', 'contexts', ARGV[10]) end
local now = now_ms()
renew_lease(base .. 'wl', id, now, ARGV[5])
add_free(base, id, ARGV[3], slots - active)
-- If the Redis user has only the rights of the previous version, serve_queue fails. The worker must still be able to
-- register.
pcall(serve_queue, base, now)
return 'ok'
