#!lua flags=allow-oom
-- Ends an active session normally: charges the accepted audio, rounded up to a whole second, and releases the remaining
-- reservation.
-- KEYS  1 account
-- ARGV  1 session id  2 owner  3 epoch  4 accepted samples  5 reason
-- returns { 'ok' | 'already' if it had ended before, state, audio ms, billable ms, model }
--         { 'stale' }: another owner or epoch has the session | { 'unknown' }
--         { 'not_connected' }: it is reserved, because a failover of Redis lost the connect
-- @include now_ms
-- @include billing
-- @include daily_usage
-- @include end_session
-- @include facts
-- @include find_ended
local base = string.sub(KEYS[1], 1, -2)
local id, samples = ARGV[1], tonumber(ARGV[4])
local s = redis.call('HMGET', base .. 's:' .. id, 'st', 'ow', 'ep', 'd', 'au', 'bi', 'co')
if not s[4] then
  local ended = find_ended(base, id)
  return ended and { 'already', unpack(ended) } or { 'unknown' }
end
local fact = read_facts(s[4])
if s[7] then return { 'already', s[1], tonumber(s[5]), tonumber(s[6]), fact.model } end
if s[1] ~= 'active' then return { 'not_connected' } end
if s[2] ~= ARGV[2] or s[3] ~= ARGV[3] then return { 'stale' } end
samples = math.min(samples, fact.reserved * SAMPLES_PER_MS)
local billable = billable_ms(samples)
local now = now_ms()
local audio = end_session(base, id, 'completed', now, samples, billable, ARGV[5])
add_usage(base, now, fact.model, audio, billable)
return { 'ok', 'completed', audio, billable, fact.model }
