#!lua
-- Consumes the credential of a session. The session becomes active and belongs to one gateway process (owner and
-- epoch). A repeat with the same connection id returns the same result. Any other connection is refused, and so is a
-- connection that disconnect.lua rolled back. An owner that was declared dead does not get the session, but another
-- gateway still can.
-- KEYS  1 account
-- ARGV  1 session id  2 hash of the credential  3 owner  4 epoch  5 connection id
-- returns { 'ok', model, reserved ms, priority of the tenant or '' for normal } | { 'refused' } | { 'owner_dead' } |
--   { 'inactive' }
-- @include now_ms
-- @include deadline
-- @include expire_overdue
-- @include session
-- @include state
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local id, credential, owner, epoch, connection = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local key = base .. 's:' .. id
expire_overdue(base, now)
local session = read_session(base, id)
if not session then return { 'refused' } end
local function connected() return { 'ok', session.model, session.reserved, redis.call('HGET', KEYS[1], 'prio') or '' } end
if session.state == 'active' and session.connection == connection then return connected() end
if state_of(base, id, session) ~= 'reserved' then return { 'refused' } end
if session.credential ~= credential or now >= session.expires then return { 'refused' } end
local function is_refused(name) return string.find(' ' .. session.refused .. ' ', ' ' .. name .. ' ', 1, true) end
if is_refused(connection) then return { 'refused' } end
if is_refused(owner .. ':' .. epoch) then return { 'owner_dead' } end
if redis.call('HGET', KEYS[1], 'state') ~= 'Active' then return { 'inactive' } end
redis.call('HSET', key, 'st', 'active', 'ow', owner, 'ep', epoch, 'cn', connection, 'at', now)
redis.call('HDEL', key, 'h')
redis.call('ZADD', base .. 'live', stream_deadline(session, now), id)
return connected()
