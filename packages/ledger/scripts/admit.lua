#!lua
-- Counts one authenticated request of a tenant and tells whether the account may go on.
-- KEYS  1 account
-- returns { now, state or '' , allowed 1|0, limit, remaining, ms until whole, ms until one more }
-- @include now_ms
-- @include gcra
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local account = redis.call('HMGET', KEYS[1], 'state', 'rpm')
if not account[1] then return { now, '', 0, 0, 0, 0, 0 } end
local limit = tonumber(account[2])
-- A request of an inactive account is refused before it counts.
if account[1] ~= 'Active' then return { now, account[1], 0, limit, 0, 0, 0 } end
local allowed, arrival, remaining, whole, retry = gcra(base .. 'r:q', limit, now)
if allowed then gcra_store(base .. 'r:q', arrival, now) end
return { now, account[1], allowed and 1 or 0, limit, remaining, whole, retry }
