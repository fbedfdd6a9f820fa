-- Usage by day and model, in one hash per USAGE_PERIOD_DAYS days. Redis encodes a hash compactly up to a number of
-- fields (`hash-max-listpack-entries`, 512 by default). A hash exceeds this number only with more than 16 models. The
-- names of all hashes of a tenant follow from the time, so no search is needed.
local USAGE_RETENTION_DAYS = 400
local USAGE_PERIOD_DAYS = 32
local DAY_MS = 86400000
local USAGE_LIFETIME_MS = (USAGE_RETENTION_DAYS + USAGE_PERIOD_DAYS) * DAY_MS

-- Usage by day, key and model is in hashes of its own, each of which has KEY_USAGE_PERIOD_DAYS days. Programs of
-- earlier versions do not read these hashes. If the hashes above had fields by key, these programs would count sessions
-- twice.
local KEY_USAGE_PERIOD_DAYS = 8
-- Largest number of fields of a hash with usage by key. It is limited, because a tenant can create and revoke any
-- number of keys.
local KEY_USAGE_FIELDS = 1000

-- Adds one session to the sums in a field of a hash.
local function add_to(key, field, before, audio, billable)
  local sum = { string.match(before or '0 0 0', '^(%d+) (%d+) (%d+)$') }
  redis.call('HSET', key, field, string.format('%d %d %d', sum[1] + 1, sum[2] + audio, sum[3] + billable))
end

-- Adds one completed session to the usage of the key that created it. If the hash is full and has no field for this
-- day, key and model, the session counts only for its model.
local function add_key_usage(base, day, session, audio, billable)
  local api_key = session.by and string.match(session.by, '^([^|]+)')
  if not api_key then return end
  local key = base .. 'uk:' .. math.floor(day / KEY_USAGE_PERIOD_DAYS)
  local field = string.format('%d|%s|%s', day % KEY_USAGE_PERIOD_DAYS, api_key, session.model)
  local before = redis.call('HGET', key, field)
  if not before and redis.call('HLEN', key) >= KEY_USAGE_FIELDS then return end
  add_to(key, field, before, audio, billable)
  if not before then redis.call('PEXPIRE', key, string.format('%d', USAGE_LIFETIME_MS)) end
end

-- Adds one completed session to the usage by day and model, and to the usage by key.
local function add_usage(base, now, session, audio, billable)
  local day = math.floor(now / DAY_MS)
  local key = base .. 'u:' .. math.floor(day / USAGE_PERIOD_DAYS)
  local field = string.format('%d|%s', day, session.model)
  add_to(key, field, redis.call('HGET', key, field), audio, billable)
  redis.call('PEXPIRE', key, string.format('%d', USAGE_LIFETIME_MS))
  add_key_usage(base, day, session, audio, billable)
end

-- Sets the expiry of the usage hashes `u:` and `uk:` of a tenant. If `only` is 'LT', an expiry is changed only to an
-- earlier time. If `only` is 'GT', it is changed only to a later time.
local function expire_usage(base, now, ms, only)
  for part, days in pairs({ ['u:'] = USAGE_PERIOD_DAYS, ['uk:'] = KEY_USAGE_PERIOD_DAYS }) do
    local period = math.floor(now / DAY_MS / days)
    for at = period - math.ceil(USAGE_RETENTION_DAYS / days), period do
      redis.call('PEXPIRE', base .. part .. at, string.format('%d', ms), only)
    end
  end
end
