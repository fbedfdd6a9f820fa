#!lua flags=allow-oom
-- KEYS  1 gateways
-- ARGV  1 gateway  2 lease ms
-- returns 1, or 0 when it was taken for dead
-- @include now_ms
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now_ms() + tonumber(ARGV[2]), ARGV[1])
return 1
