#!lua flags=allow-oom
-- Ends a session by a fault of the service: nothing is charged, all is returned. An active session is failed only in
-- the name of its owner and epoch; a reserved one has no owner yet.
-- KEYS  1 account
-- ARGV  1 session id  2 owner or ''  3 epoch or ''  4 accepted samples  5 reason
-- returns { 'ok' | 'already', state, audio ms, billable ms, model } | { 'stale' } | { 'unknown' }
-- @include now_ms
-- @include end_session
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local s = redis.call('HMGET', base .. 's:' .. id, 'st', 'ow', 'ep', 'res', 'au', 'bi', 'co', 'pv', 'm')
if not s[1] or s[8] then return { 'unknown' } end
if s[7] then return { 'already', s[1], tonumber(s[5]), tonumber(s[6]), s[9] } end
if s[1] == 'active' and (s[2] ~= ARGV[2] or s[3] ~= ARGV[3]) then return { 'stale' } end
local audio = end_session(base, id, 'failed', now_ms(), math.min(tonumber(ARGV[4]), s[4] * 16), 0, ARGV[5])
return { 'ok', 'failed', audio, 0, s[9] }
