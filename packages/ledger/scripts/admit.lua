#!lua
-- Checks the account and the request rate of an authenticated request. Counts the request if it is allowed.
-- KEYS  1 account
-- returns { now, account state or '' without an account, allowed 1|0, rate limit, rate remaining, rate reset ms,
--   retry after ms }
-- @include now_ms
-- @include gcra
local now = now_ms()
local account = redis.call('HMGET', KEYS[1], 'state', 'rpm', 'rq')
if not account[1] then return { now, '', 0, 0, 0, 0, 0 } end
local limit = account[2] + 0
-- A request for an inactive account is refused, and does not count against the rate.
if account[1] ~= 'Active' then return { now, account[1], 0, limit, 0, 0, 0 } end
local allowed, arrival, remaining, whole, retry = gcra(account[3], limit, now)
if arrival then redis.call('HSET', KEYS[1], 'rq', gcra_text(arrival)) end
return { now, account[1], allowed and 1 or 0, limit, remaining, whole, retry }
