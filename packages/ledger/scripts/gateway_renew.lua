#!lua flags=allow-oom
-- Renews the lease of a gateway process.
-- KEYS  1 gateways
-- ARGV  1 gateway  2 lease ms
-- returns 1 | 0 if the lease had expired and the process was declared dead
-- @include now_ms
-- @include leases
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local now = now_ms()
-- The first renewal after an outage restarts the leases of all processes, and is itself not late.
check_leases(KEYS[1], now)
renew_lease(KEYS[1], ARGV[1], now, ARGV[2])
return 1
