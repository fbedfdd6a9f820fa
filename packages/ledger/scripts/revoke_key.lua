#!lua flags=allow-oom
-- Revokes an API key. Its record is kept, so that gateways can report it as revoked. Also runs when Redis is out of
-- memory.
-- KEYS  1 API key
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'revoked', '1') end
return 'ok'
