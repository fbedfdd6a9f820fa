#!lua
-- Registers a gateway process and returns a new epoch.
-- KEYS  1 gateways
-- ARGV  1 gateway  2 lease ms
-- returns the epoch
-- @include now_ms
redis.call('ZADD', KEYS[1], now_ms() + tonumber(ARGV[2]), ARGV[1])
return redis.call('INCR', KEYS[1] .. ':epoch')
