#!lua
-- Remembers when a key was last used, if the key is still there.
-- KEYS  1 key
-- @include now_ms
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'used', now_ms())
return 1
