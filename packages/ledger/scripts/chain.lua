#!lua flags=allow-oom
-- Continues a stream whose reservation is used up. Settles the full session and reserves the next one. The next session
-- is active immediately and belongs to the same gateway process. It replaces the full session in the concurrency
-- limits, and does not count against the session rate. A refusal does not change the full session, so that the caller
-- can settle it as usual. Safe to repeat with the same ids.
-- KEYS  1 account
-- ARGV  1 id of the full session  2 owner  3 epoch  4 id of the next session  5 requested seconds
--       6 id of the first session of the chain
-- returns { 'ok', reserved ms of the next session }
--         { 'credit' }: less than one second is available | { 'inactive' }: the account is not active
--         { 'cancelled' }: the tenant has cancelled the session
--         { 'stale' }: the session is not active with this owner and epoch, or the owner was declared dead
-- @include now_ms
-- @include billing
-- @include daily_usage
-- @include end_session
-- @include session
-- @include part
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local id, owner, epoch, next_id, requested, chain = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local function is_held(session) return session.state == 'active' and session.owner == owner and session.epoch == epoch end

local opened = read_session(base, next_id)
if opened then return is_held(opened) and { 'ok', opened.reserved } or { 'stale' } end
-- The owner was declared dead and its sessions were failed before this call arrived.
if redis.call('EXISTS', base .. 'x:' .. next_id) == 1 then return { 'stale' } end
local session = read_session(base, id)
if not session or not is_held(session) then return { 'stale' } end
if session.cancelled then return { 'cancelled' } end
if redis.call('HGET', KEYS[1], 'state') ~= 'Active' then return { 'inactive' } end

if redis.call('ZCOUNT', base .. 'live', '-inf', now) > 0 then
  -- @include expire_overdue
  expire_overdue(base, now)
end
if redis.call('HEXISTS', KEYS[1], 'ba') == 1 then
  -- @include budget
  renew_budget(base, now)
end
local total = redis.call('HMGET', KEYS[1], 'granted', 'reserved', 'consumed')
local reserved_s = math.min(requested, math.floor((total[1] - total[2] - total[3]) / 1000))
if reserved_s < 1 then return { 'credit' } end

local is_limited = is_model_limited(base, id, session)
local samples = session.reserved * SAMPLES_PER_MS
local audio = end_session(base, id, 'completed', now, samples, billable_ms(samples), 'continued', PART_IS_FULL)
add_usage(base, now, session, audio, billable_ms(samples))
open_part(base, next_id, session, chain, reserved_s * 1000, now, now, is_limited)
return { 'ok', reserved_s * 1000 }
