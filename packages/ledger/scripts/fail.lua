#!lua flags=allow-oom
-- Ends a session because of a fault of the service. Nothing is charged and the whole reservation is released. For an
-- active session, owner and epoch must match. For a reserved session, which has no owner, both must be empty.
-- KEYS  1 account
-- ARGV  1 session id  2 owner or ''  3 epoch or ''  4 accepted samples  5 reason
--       6 connection id that an active session must have, or ''
--       7 '1' if the owner was declared dead; its calls of connect.lua and chain.lua that arrive later are then refused
--       8 end reason and close code, or ''
-- returns { 'ok' | 'already' if it had ended before, state, audio ms, billable ms, model }
--         { 'stale' }: another owner, epoch or connection has the session | { 'unknown' }
--         { 'not_connected' }: the session is not active although an owner is given
-- @include now_ms
-- @include billing
-- @include end_session
-- @include session
-- @include find_ended
-- @include state
-- Time for which a late call of chain.lua is refused. It is far longer than the network can delay a packet.
local TOMBSTONE_MS = 600000
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local owner, epoch, samples, reason, connection, owner_is_dead = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7] == '1'
local session = read_session(base, id)
if not session then
  local ended = find_ended(base, id)
  if ended then return { 'already', unpack(ended) } end
  -- A call of chain.lua by the dead owner may still arrive and would create this session. The tombstone prevents it.
  if owner_is_dead then redis.call('SET', base .. 'x:' .. id, '1', 'PX', TOMBSTONE_MS) end
  return { 'unknown' }
end
if (not session.state or session.state == 'reserved') and owner_is_dead then
  redis.call('HSET', base .. 's:' .. id, 'no', session.refused .. ' ' .. owner .. ':' .. epoch)
  return { 'not_connected' }
end
if state_of(base, id, session) == 'provisional' then return { 'unknown' } end
if session.completed then return { 'already', session.state, session.audio, session.billable, session.model } end
if session.state ~= 'active' and owner ~= '' then return { 'not_connected' } end
if owner_is_dead and (session.owner ~= owner or session.epoch ~= epoch) then
  -- The present owner may roll its connection back. A late call of connect.lua by the dead owner must not get the
  -- session then.
  redis.call('HSET', base .. 's:' .. id, 'no', session.refused .. ' ' .. owner .. ':' .. epoch)
end
if session.owner ~= owner or session.epoch ~= epoch then return { 'stale' } end
if connection ~= '' and session.connection ~= connection then return { 'stale' } end
samples = math.min(samples, session.reserved * SAMPLES_PER_MS)
local audio = end_session(base, id, 'failed', now_ms(), samples, 0, reason, ARGV[8] ~= '' and ARGV[8] or nil)
return { 'ok', 'failed', audio, 0, session.model }
