#!lua flags=allow-oom
-- Raises what an account has consumed to what it had when it was last seen, once for each restoration: for an account that
-- was built anew from its Tenant. No more than was granted.
-- KEYS  1 account
-- ARGV  1 id of the restoration  2 consumed ms
-- returns { 1 applied | 0 known, consumed ms that it added } | { -1 } when there is no account
-- @include journal
local base = string.sub(KEYS[1], 1, -2)
local total = redis.call('HMGET', KEYS[1], 'granted', 'reserved', 'consumed')
if not total[1] then return { -1 } end
local mark = 'restored ' .. ARGV[1]
local before = redis.call('HGET', base .. 'g', mark)
if before then return { 0, tonumber(before) } end
local amount = math.max(0, math.min(ARGV[2] - total[3], total[1] - total[2] - total[3]))
redis.call('HSET', base .. 'g', mark, amount)
if amount == 0 then return { 1, 0 } end
redis.call('HINCRBY', KEYS[1], 'consumed', amount)
journal(base, 'restore', ARGV[1], 0, 0, amount, 'consumed=' .. ARGV[2])
return { 1, amount }
