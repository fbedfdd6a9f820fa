#!lua flags=allow-oom
-- Raises the consumed credit of an account to the value of its last checkpoint, once per restoration. Used for an
-- account that was lost and created again from its Tenant. Consumes at most the available credit. Credit that budgets
-- had granted by the time of the checkpoint is granted again.
-- KEYS  1 account
-- ARGV  1 restoration id  2 consumed ms at the checkpoint
--       3 month of the budget at the checkpoint, or '' without one. Only with a budget: 4 ms granted by budgets
--       5 ms left of the budget  6 ms charged to it in its month
-- returns { 1 if applied now | 0 if applied before, consumed ms added } | { -1 } if there is no account
-- @include journal
local base = string.sub(KEYS[1], 1, -2)
local total = redis.call('HMGET', KEYS[1], 'granted', 'reserved', 'consumed', 'bt')
if not total[1] then return { -1 } end
local mark = 'restored ' .. ARGV[1]
local before = redis.call('HGET', base .. 'g', mark)
if before then return { 0, tonumber(before) } end
limit_journal(base)
local granted, reserved, consumed = tonumber(total[1]), tonumber(total[2]), tonumber(total[3])
local missing = ARGV[2] - consumed
local amount, change = math.max(0, math.min(missing, granted - reserved - consumed)), 0
if missing > 0 and ARGV[3] ~= '' then
  local by_budgets, left, used = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  local by_grants = granted - (total[4] or 0)
  -- Grants that were deleted from the Tenant were not granted again. Charges to those grants are not restored either.
  local other = math.max(0, by_grants - math.max(0, ARGV[2] - (by_budgets - left)))
  -- Sessions that have started since the account was created again keep their reservations.
  local extra = math.max(0, reserved - other - left)
  by_budgets, left = by_budgets + extra, left + extra
  change = by_grants + by_budgets - granted
  amount = math.max(0, by_grants + by_budgets - left - other - consumed)
  -- The Tenant may have no budget any more. The account had one, so it keeps the budget fields with the amount 0.
  redis.call('HSETNX', KEYS[1], 'ba', 0)
  redis.call('HSET', KEYS[1], 'bm', ARGV[3], 'bt', by_budgets, 'bl', left, 'bu', used)
end
redis.call('HSET', base .. 'g', mark, amount)
if amount == 0 and change == 0 then return { 1, 0 } end
redis.call('HINCRBY', KEYS[1], 'granted', change)
redis.call('HINCRBY', KEYS[1], 'consumed', amount)
journal(base, 'restore', ARGV[1], change, 0, amount, 'consumed=' .. ARGV[2])
return { 1, amount }
