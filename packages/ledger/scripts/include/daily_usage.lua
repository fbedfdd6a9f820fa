-- Usage by day and model, in one hash per USAGE_PERIOD_DAYS days. With few models, a hash then has at most 128 fields,
-- up to which Redis encodes it compactly. The names of all hashes of a tenant follow from the time, so no search is
-- needed.
local USAGE_RETENTION_DAYS = 400
local USAGE_PERIOD_DAYS = 32
local DAY_MS = 86400000
local USAGE_LIFETIME_MS = (USAGE_RETENTION_DAYS + USAGE_PERIOD_DAYS) * DAY_MS

-- Adds one completed session.
local function add_usage(base, now, model, audio, billable)
  local day = math.floor(now / DAY_MS)
  local key = base .. 'u:' .. math.floor(day / USAGE_PERIOD_DAYS)
  local field = string.format('%d|%s', day, model)
  local sum = { string.match(redis.call('HGET', key, field) or '0 0 0', '^(%d+) (%d+) (%d+)$') }
  redis.call('HSET', key, field, string.format('%d %d %d', sum[1] + 1, sum[2] + audio, sum[3] + billable))
  redis.call('PEXPIRE', key, string.format('%d', USAGE_LIFETIME_MS))
end

-- Sets the expiry of all usage of a tenant. `only` is 'LT' to change it only to an earlier time, or 'GT' to a later
-- one.
local function expire_usage(base, now, ms, only)
  local period = math.floor(now / DAY_MS / USAGE_PERIOD_DAYS)
  for at = period - math.ceil(USAGE_RETENTION_DAYS / USAGE_PERIOD_DAYS), period do
    redis.call('PEXPIRE', base .. 'u:' .. at, string.format('%d', ms), only)
  end
end
