#!lua
-- Makes a provisional session a reserved one: it now lives until its credential expires. No credit moves, so the
-- journal says nothing of it.
-- KEYS  1 account
-- ARGV  1 session id
-- returns 'ok' | 'gone'
-- @include retain
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local s = redis.call('HMGET', base .. 's:' .. id, 'st', 'd')
if s[1] == 'reserved' or s[1] == 'active' then return 'ok' end
if s[1] ~= 'provisional' then return 'gone' end
redis.call('HSET', base .. 's:' .. id, 'st', 'reserved')
redis.call('ZADD', base .. 'live', string.match(s[2], '^%d+'), id)
add_recent(base, id)
return 'ok'
