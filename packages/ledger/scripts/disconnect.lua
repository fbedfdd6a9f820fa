#!lua flags=allow-oom
-- Takes back a connect whose answer was lost and was given up: the session is reserved as before, so that its credential
-- still works. Should that connect come late, it is refused.
-- KEYS  1 account
-- ARGV  1 session id  2 connection id
-- returns 'ok': that connection had the session | 'none': it had not
-- @include now_ms
-- @include end_session
-- @include facts
-- @include journal
local base = string.sub(KEYS[1], 1, -2)
local id, connection = ARGV[1], ARGV[2]
local key = base .. 's:' .. id
local s = redis.call('HMGET', key, 'st', 'd', 'cn', 'no')
if s[1] ~= 'reserved' and s[1] ~= 'active' then return 'none' end
redis.call('HSET', key, 'no', (s[4] or '') .. ' ' .. connection)
if s[1] ~= 'active' or s[3] ~= connection then return 'none' end
local now, expires = now_ms(), read_facts(s[2]).expires
if now >= expires then
  end_session(base, id, 'expired', now, 0, 0, 'no handshake')
  return 'ok'
end
-- Whoever offered the credential has the session: no request that made it can take it back.
redis.call('HSET', key, 'st', 'reserved', 'h', '*')
redis.call('HDEL', key, 'ow', 'ep', 'cn', 'at')
redis.call('ZADD', base .. 'live', string.format('%d', expires), id)
journal(base, 'disconnect', id, 0, 0, 0, '-')
return 'ok'
