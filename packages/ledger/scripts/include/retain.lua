-- An ended session is kept while recent_sessions lists it and for SESSION_RETENTION_MS after, so that a late repeat of
-- its last transition still finds the result.
local SESSION_RETENTION_MS = 86400000
local RECENT_SHOWN = 20
local RECENT_KEPT = 40

-- A session that is still in `recent` gets its expiry from add_recent when it is removed from there.
local function retain_ended(base, id)
  if not redis.call('LPOS', base .. 'recent', id) then redis.call('PEXPIRE', base .. 's:' .. id, SESSION_RETENTION_MS) end
end

-- Trims `recent` only after RECENT_KEPT - RECENT_SHOWN additions: trimming at each addition would cost twice as much.
local function add_recent(base, id)
  if redis.call('LPUSH', base .. 'recent', id) < RECENT_KEPT then return end
  local old = redis.call('LRANGE', base .. 'recent', RECENT_SHOWN, -1)
  redis.call('LTRIM', base .. 'recent', 0, RECENT_SHOWN - 1)
  local live = redis.call('ZMSCORE', base .. 'live', unpack(old))
  for i, one in ipairs(old) do
    if not live[i] then redis.call('PEXPIRE', base .. 's:' .. one, SESSION_RETENTION_MS) end
  end
end
