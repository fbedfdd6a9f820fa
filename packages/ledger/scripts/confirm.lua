#!lua
-- Makes a provisional session a reserved one: it now lives until its credential expires. No credit moves, so the
-- journal says nothing of it.
-- KEYS  1 account
-- ARGV  1 session id
-- returns 'ok' | 'gone'
-- @include retain
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local s = redis.call('HMGET', base .. 's:' .. id, 'st', 'pv', 'ex')
if s[1] ~= 'reserved' and s[1] ~= 'active' then return 'gone' end
if not s[2] then return 'ok' end
redis.call('HDEL', base .. 's:' .. id, 'pv')
redis.call('ZADD', base .. 'live', s[3], id)
add_recent(base, id)
return 'ok'
