#!lua flags=allow-oom
-- Ends an active session normally: charges the accepted audio, rounded up to a whole second, and releases the remaining
-- reservation.
-- KEYS  1 account
-- ARGV  1 session id  2 owner  3 epoch  4 accepted samples  5 reason
--       6 end reason and close code, or ''
-- returns { 'ok' | 'already' if it had ended before, state, audio ms, billable ms, model }
--         { 'stale' }: another owner or epoch has the session | { 'unknown' }
--         { 'not_connected' }: it is reserved, because a failover of Redis lost the connect
-- @include now_ms
-- @include billing
-- @include daily_usage
-- @include end_session
-- @include session
-- @include find_ended
local base = string.sub(KEYS[1], 1, -2)
local id, owner, epoch, samples, reason = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local session = read_session(base, id)
if not session then
  local ended = find_ended(base, id)
  return ended and { 'already', unpack(ended) } or { 'unknown' }
end
if session.completed then return { 'already', session.state, session.audio, session.billable, session.model } end
if session.state ~= 'active' then return { 'not_connected' } end
if session.owner ~= owner or session.epoch ~= epoch then return { 'stale' } end
samples = math.min(samples, session.reserved * SAMPLES_PER_MS)
local billable = billable_ms(samples)
local now = now_ms()
local audio = end_session(base, id, 'completed', now, samples, billable, reason, ARGV[6] ~= '' and ARGV[6] or nil)
add_usage(base, now, session.model, audio, billable)
return { 'ok', 'completed', audio, billable, session.model }
