#!lua
-- Registers a gateway process and returns a new epoch.
-- KEYS  1 gateways
-- ARGV  1 gateway  2 lease ms
-- returns the epoch
-- @include now_ms
-- @include leases
renew_lease(KEYS[1], ARGV[1], now_ms(), ARGV[2])
return redis.call('INCR', KEYS[1] .. ':epoch')
