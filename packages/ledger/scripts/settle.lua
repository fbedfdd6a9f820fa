#!lua flags=allow-oom
-- Ends an active session normally. Charges the accepted audio, rounded up to a whole second, and releases the rest of
-- the reservation. If the part length is given, at most this much audio is recorded for the session. The remaining
-- audio is recorded as further sessions, which are created and settled here. Each of them except the last gets as much
-- audio as the part length.
-- KEYS  1 account
-- ARGV  1 session id  2 owner  3 epoch  4 accepted samples  5 reason
--       6 end reason and close code, or ''
--       7 part length in ms, or absent  8… ids of the further sessions
-- returns { 'ok', state, audio ms, billable ms, model }, with the sums of all parts
--         { 'already' if it had ended before, state, audio ms, billable ms, model }, without further sessions
--         { 'stale' }: another owner or epoch has the session | { 'unknown' }
--         { 'not_connected' }: it is not active, for example because a failover of Redis lost the connect
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
local now = now_ms()
local how = ARGV[6] ~= '' and ARGV[6] or nil

local function settle(part_id, part_samples, part_reason, part_how)
  local billable = billable_ms(part_samples)
  local audio = end_session(base, part_id, 'completed', now, part_samples, billable, part_reason, part_how)
  add_usage(base, now, session, audio, billable)
end

local part = ARGV[8] and ARGV[7] * SAMPLES_PER_MS or samples
if samples <= part then
  settle(id, samples, reason, how)
else
  -- @include part
  settle(id, part, 'continued', PART_IS_FULL)
  local left, at = samples - part, 8
  while left > 0 do
    -- If there are fewer ids than parts, the session with the last id gets all remaining audio.
    local is_last = left <= part or not ARGV[at + 1]
    local taken = is_last and left or part
    open_part(base, ARGV[at], session, id, billable_ms(taken), session.created, now, false)
    settle(ARGV[at], taken, is_last and reason or 'continued', is_last and how or PART_IS_FULL)
    left, at = left - taken, at + 1
  end
end
return { 'ok', 'completed', audio_ms(samples), billable_ms(samples), session.model }
