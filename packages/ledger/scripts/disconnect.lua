#!lua flags=allow-oom
-- Rolls back a connect whose caller received no answer and no longer waits for one. The session is reserved again, so
-- its credential still works. If that connect arrives late, it is refused.
-- KEYS  1 account
-- ARGV  1 session id  2 connection id
-- returns 'ok' if the connection had the session | 'none' if not
-- @include now_ms
-- @include deadline
-- @include end_session
-- @include session
-- @include state
local base = string.sub(KEYS[1], 1, -2)
local id, connection = ARGV[1], ARGV[2]
local key = base .. 's:' .. id
local session = read_session(base, id)
local state = session and state_of(base, id, session)
if state ~= 'reserved' and state ~= 'active' then return 'none' end
redis.call('HSET', key, 'no', session.refused .. ' ' .. connection)
if state ~= 'active' or session.connection ~= connection then return 'none' end
local now = now_ms()
if now >= session.expires then
  end_session(base, id, 'expired', now, 0, 0, 'no handshake')
  return 'ok'
end
-- The client has the credential and may use it again, so no attempt may cancel the session any more.
redis.call('HSET', key, 'st', 'reserved', 'h', '*')
redis.call('HDEL', key, 'ow', 'ep', 'cn', 'at')
redis.call('ZADD', base .. 'live', credential_deadline(session, now), id)
return 'ok'
