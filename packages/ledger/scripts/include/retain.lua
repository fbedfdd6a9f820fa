-- A session that ended is kept while recent_sessions shows it, and for SESSION_KEPT_MS after, so that a late repeat of
-- its last transition still finds what it came to.
local SESSION_KEPT_MS = 86400000
local RECENT_SHOWN = 20
local RECENT_KEPT = 40

-- One that is still in the list gets its end from the one that pushes it out.
local function retain_ended(base, id)
  if not redis.call('LPOS', base .. 'recent', id) then redis.call('PEXPIRE', base .. 's:' .. id, SESSION_KEPT_MS) end
end

-- Those that are not shown any more go several at once: to drop one with each that comes would cost twice as much.
local function add_recent(base, id)
  if redis.call('LPUSH', base .. 'recent', id) < RECENT_KEPT then return end
  local old = redis.call('LRANGE', base .. 'recent', RECENT_SHOWN, -1)
  redis.call('LTRIM', base .. 'recent', 0, RECENT_SHOWN - 1)
  local live = redis.call('ZMSCORE', base .. 'live', unpack(old))
  for i, one in ipairs(old) do
    if not live[i] then redis.call('PEXPIRE', base .. 's:' .. one, SESSION_KEPT_MS) end
  end
end
