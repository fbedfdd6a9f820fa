-- A session that ended is kept while recent_sessions shows it, and for SESSION_KEPT_MS after, so that a late repeat of
-- its last transition still finds what it came to.
local SESSION_KEPT_MS = 86400000
local RECENT_KEPT = 20

-- One that is still shown gets its end from the one that pushes it out.
local function retain_ended(base, id)
  if not redis.call('LPOS', base .. 'recent', id) then redis.call('PEXPIRE', base .. 's:' .. id, SESSION_KEPT_MS) end
end

local function add_recent(base, id)
  if redis.call('LPUSH', base .. 'recent', id) <= RECENT_KEPT then return end
  local old = base .. 's:' .. redis.call('RPOP', base .. 'recent')
  if redis.call('HEXISTS', old, 'co') == 1 then redis.call('PEXPIRE', old, SESSION_KEPT_MS) end
end
