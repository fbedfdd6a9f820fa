#!lua flags=allow-oom
-- A revoked key stays known, so that its holder is told what happened to it. Works also when Redis is full.
-- KEYS  1 key
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'revoked', '1') end
return 'ok'
