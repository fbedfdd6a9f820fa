#!lua
-- Consumes the credential: the session becomes active and belongs to one gateway process (owner and epoch).
-- A repeat with the same connection id returns the same result. Any other connection is refused, and so is one that
-- disconnect.lua rolled back. An owner that was declared dead gets no session; another gateway can still connect it.
-- KEYS  1 account
-- ARGV  1 session id  2 hash of the credential  3 owner  4 epoch  5 connection id
-- returns { 'ok', model, reserved ms } | { 'refused' } | { 'owner_dead' } | { 'inactive' }
-- @include now_ms
-- @include deadline
-- @include expire_overdue
-- @include facts
-- @include state
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local key = base .. 's:' .. id
expire_overdue(base, now)
local s = redis.call('HMGET', key, 'st', 'd', 'cn', 'no')
local fact = s[2] and read_facts(s[2])
if s[1] == 'active' and s[3] == ARGV[5] then return { 'ok', fact.model, fact.reserved } end
if not fact or state_of(base, id, s[1], fact.expires) ~= 'reserved' or fact.credential ~= ARGV[2] or now >= fact.expires then return { 'refused' } end
local function is_refused(name) return s[4] and string.find(' ' .. s[4] .. ' ', ' ' .. name .. ' ', 1, true) end
if is_refused(ARGV[5]) then return { 'refused' } end
if is_refused(ARGV[3] .. ':' .. ARGV[4]) then return { 'owner_dead' } end
if redis.call('HGET', KEYS[1], 'state') ~= 'Active' then return { 'inactive' } end
redis.call('HSET', key, 'st', 'active', 'ow', ARGV[3], 'ep', ARGV[4], 'cn', ARGV[5], 'at', now)
redis.call('HDEL', key, 'h')
redis.call('ZADD', base .. 'live', stream_deadline(fact, now), id)
return { 'ok', fact.model, fact.reserved }
