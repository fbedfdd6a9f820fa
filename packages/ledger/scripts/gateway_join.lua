#!lua
-- Registers a gateway process and returns a new epoch for it.
-- KEYS  1 gateways
-- ARGV  1 gateway  2 lease ms
-- returns the epoch
-- @include now_ms
-- @include leases
local now = now_ms()
check_leases(KEYS[1], now)
renew_lease(KEYS[1], ARGV[1], now, ARGV[2])
return redis.call('INCR', KEYS[1] .. ':epoch')
