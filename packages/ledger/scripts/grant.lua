#!lua
-- Adds credit, once per grant id. A negative grant is a correction. It removes at most the credit that is available and
-- that no budget granted.
-- KEYS  1 account
-- ARGV  1 grant id  2 amount in ms of audio
--       3 amount that was applied before the account was lost, or '' if it is not known
-- returns { 1 if applied now | 0 if applied before, change of the balance in ms } | { -1 } if there is no account
-- @include journal
local base = string.sub(KEYS[1], 1, -2)
local total = redis.call('HMGET', KEYS[1], 'granted', 'reserved', 'consumed', 'bl')
if not total[1] then return { -1 } end
local before = redis.call('HGET', base .. 'g', ARGV[1])
if before then return { 0, tonumber(before) } end
limit_journal(base)
local asked = tonumber(ARGV[2])
local lowest = math.min(0, math.max(total[2], total[4] or 0) + total[3] - total[1])
local amount = math.max(tonumber(ARGV[3]) or asked, lowest)
redis.call('HSET', base .. 'g', ARGV[1], amount)
redis.call('HINCRBY', KEYS[1], 'granted', amount)
if amount ~= asked then
  redis.call('HSET', KEYS[1], 'lc', string.format('%s%s %d ', redis.call('HGET', KEYS[1], 'lc') or '', ARGV[1], amount))
end
journal(base, 'grant', ARGV[1], amount, 0, 0, 'asked=' .. ARGV[2])
return { 1, amount }
