#!lua flags=allow-oom
-- Rolls back a connect whose caller received no answer and no longer waits for one. The session is reserved again, so
-- its credential still works. If that connect arrives late, it is refused.
-- KEYS  1 account
-- ARGV  1 session id  2 connection id
-- returns 'ok' if the connection had the session | 'none' if not
-- @include now_ms
-- @include deadline
-- @include end_session
-- @include facts
-- @include state
local base = string.sub(KEYS[1], 1, -2)
local id, connection = ARGV[1], ARGV[2]
local key = base .. 's:' .. id
local s = redis.call('HMGET', key, 'st', 'd', 'cn', 'no')
local fact = s[2] and read_facts(s[2])
local state = fact and state_of(base, id, s[1], fact.expires)
if state ~= 'reserved' and state ~= 'active' then return 'none' end
redis.call('HSET', key, 'no', (s[4] or '') .. ' ' .. connection)
if state ~= 'active' or s[3] ~= connection then return 'none' end
local now = now_ms()
if now >= fact.expires then
  end_session(base, id, 'expired', now, 0, 0, 'no handshake')
  return 'ok'
end
-- The client has the credential and may use it again, so no attempt may cancel the session any more.
redis.call('HSET', key, 'st', 'reserved', 'h', '*')
redis.call('HDEL', key, 'ow', 'ep', 'cn', 'at')
redis.call('ZADD', base .. 'live', credential_deadline(fact, now), id)
return 'ok'
