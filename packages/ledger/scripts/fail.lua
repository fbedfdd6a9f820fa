#!lua flags=allow-oom
-- Ends a session because of a fault of the service: nothing is charged and the whole reservation is released. For an
-- active session, owner and epoch must match. A reserved session has no owner; both must be empty for it.
-- KEYS  1 account
-- ARGV  1 session id  2 owner or ''  3 epoch or ''  4 accepted samples  5 reason
--       6 connection id that an active session must have, or ''
--       7 '1' if the owner was declared dead: a later connect by it is refused
-- returns { 'ok' | 'already' if it had ended before, state, audio ms, billable ms, model }
--         { 'stale' }: another owner or epoch has the session | { 'unknown' }
--         { 'not_connected' }: it is reserved although an owner is given
-- @include now_ms
-- @include billing
-- @include end_session
-- @include facts
-- @include find_ended
-- @include state
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local s = redis.call('HMGET', base .. 's:' .. id, 'st', 'ow', 'ep', 'd', 'au', 'bi', 'co', 'cn', 'no')
local fact = s[4] and read_facts(s[4])
if not fact then
  local ended = find_ended(base, id)
  return ended and { 'already', unpack(ended) } or { 'unknown' }
end
if (not s[1] or s[1] == 'reserved') and ARGV[7] == '1' then
  redis.call('HSET', base .. 's:' .. id, 'no', (s[9] or '') .. ' ' .. ARGV[2] .. ':' .. ARGV[3])
  return { 'not_connected' }
end
if state_of(base, id, s[1], fact.expires) == 'provisional' then return { 'unknown' } end
if s[7] then return { 'already', s[1], tonumber(s[5]), tonumber(s[6]), fact.model } end
if s[1] ~= 'active' and ARGV[2] ~= '' then return { 'not_connected' } end
if (s[2] or '') ~= ARGV[2] or (s[3] or '') ~= ARGV[3] then return { 'stale' } end
if ARGV[6] ~= '' and s[8] ~= ARGV[6] then return { 'stale' } end
local audio = end_session(base, id, 'failed', now_ms(), math.min(tonumber(ARGV[4]), fact.reserved * SAMPLES_PER_MS), 0, ARGV[5])
return { 'ok', 'failed', audio, 0, fact.model }
