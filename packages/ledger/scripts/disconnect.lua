#!lua flags=allow-oom
-- Rolls back a call of connect.lua whose caller received no answer and no longer waits for one. The session is reserved
-- again, so its credential still works. If the session was cancelled or its credential has expired, it ends instead. If
-- the call of connect.lua arrives after this call, connect.lua refuses it.
-- KEYS  1 account
-- ARGV  1 session id  2 connection id
-- returns { 'ok' if this connection had the session, else 'none', model if the session has ended, else '' }
-- If a model is returned, release the capacity that its pool holds for the session. A repeat returns the model again.
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
if state ~= 'reserved' and state ~= 'active' then
  local ended = state ~= 'provisional' and (session or find_recent(base, id))
  return { 'none', ended and ended.model or '' }
end
redis.call('HSET', key, 'no', session.refused .. ' ' .. connection)
if state ~= 'active' or session.connection ~= connection then return { 'none', '' } end
local now = now_ms()
if session.cancelled or now >= session.expires then
  local reason = session.cancelled and 'cancelled' or 'no handshake'
  end_session(base, id, 'expired', now, 0, 0, reason, session.cancelled and 'cancelled 0' or 'credential_expired 0')
  return { 'ok', session.model }
end
-- The client has the credential and may use it again. From now on, cancel.lua must not roll the session back.
redis.call('HSET', key, 'st', 'reserved', 'h', '*')
redis.call('HDEL', key, 'ow', 'ep', 'cn', 'at')
redis.call('ZADD', base .. 'live', credential_deadline(session, now), id)
return { 'ok', '' }
