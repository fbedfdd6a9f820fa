#!lua
-- Records the time at which an API key was last used, if the key exists.
-- KEYS  1 API key
-- returns 1 | 0 if the key does not exist
-- @include now_ms
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'used', now_ms())
return 1
