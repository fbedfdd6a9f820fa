-- @include journal
-- Monthly budget of an account: credit for one UTC month. The first script that calls renew_budget in a new month
-- replaces what is left of the old budget by the monthly amount. A charge uses the budget first, and then other credit,
-- which never expires. Fields of the account:
--   `ba` amount per month                          `bm` month of the last renewal
--   `bu` charged to the budget in that month       `bl` part of the budget that is left
--   `bt` sum of all changes of `granted` by budgets
-- An account that never had a budget has none of these fields.

-- Returns the UTC month of a time as YYYY-MM. The calculation lets years start in March, so that the leap day is the
-- last day of a year.
local function month_of(ms)
  local days = math.floor(ms / 86400000) + 719468
  local era = math.floor(days / 146097)
  local day = days - era * 146097
  local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) - math.floor(day / 146096)) / 365)
  day = day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * day + 2) / 153)
  return string.format('%04d-%02d', year + era * 400 + (month >= 10 and 1 or 0), month >= 10 and month - 9 or month + 3)
end

-- Renews the budget if a new month has started, and applies a changed amount, unless the account is closed. A second
-- call changes nothing. Returns a table with amount, month and left, or nil if the account never had a budget.
local function renew_budget(base, now)
  local hash = base .. 'a'
  local f = redis.call('HMGET', hash, 'ba', 'bm', 'bu', 'bl', 'state', 'granted', 'reserved', 'consumed')
  if not f[1] then return nil end
  local amount, month, used, left = tonumber(f[1]), f[2] or '', tonumber(f[3] or 0), tonumber(f[4] or 0)
  local budget = { amount = amount, month = month, left = left }
  if f[5] == 'Deleted' or (amount == 0 and left == 0) then return budget end
  local other = f[6] - f[8] - left
  if other < 0 then
    -- A gateway of an earlier version has charged a session without updating the budget fields.
    left, used, other = left + other, used - other, 0
  end
  -- The month only moves forward. A clock that steps back and forth therefore does not renew a month twice.
  local current = month_of(now)
  local renews = current > month
  if renews then month, used = current, 0 end
  -- Credit that sessions have reserved stays in the budget until the sessions have ended, even if the budget was
  -- lowered.
  local target = math.max(0, amount - used, f[7] - other)
  local change = target - left
  if not renews and change == 0 and left == budget.left then return budget end
  limit_journal(base)
  redis.call('HSET', hash, 'bm', month, 'bu', used, 'bl', target)
  if change ~= 0 or renews then
    redis.call('HINCRBY', hash, 'granted', change)
    redis.call('HINCRBY', hash, 'bt', change)
    journal(base, 'budget', month, change, 0, 0, string.format('amount=%d used=%d', amount, used))
  end
  budget.month, budget.left = month, target
  return budget
end
