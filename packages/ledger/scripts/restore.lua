#!lua flags=allow-oom
-- Raises the consumed credit of an account to the value of its last checkpoint, once per restoration. Used for accounts
-- that a rebuild created again from their Tenant. Consumes at most the available credit.
-- KEYS  1 account
-- ARGV  1 restoration id  2 consumed ms at the checkpoint
-- returns { 1 applied | 0 applied before, consumed ms added } | { -1 } without an account
-- @include journal
local base = string.sub(KEYS[1], 1, -2)
local total = redis.call('HMGET', KEYS[1], 'granted', 'reserved', 'consumed')
if not total[1] then return { -1 } end
local mark = 'restored ' .. ARGV[1]
local before = redis.call('HGET', base .. 'g', mark)
if before then return { 0, tonumber(before) } end
limit_journal(base)
local amount = math.max(0, math.min(ARGV[2] - total[3], total[1] - total[2] - total[3]))
redis.call('HSET', base .. 'g', mark, amount)
if amount == 0 then return { 1, 0 } end
redis.call('HINCRBY', KEYS[1], 'consumed', amount)
journal(base, 'restore', ARGV[1], 0, 0, amount, 'consumed=' .. ARGV[2])
return { 1, amount }
