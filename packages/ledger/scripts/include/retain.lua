-- A session that ended is kept while recent_sessions shows it, and for SESSION_KEPT_MS after, so that a late repeat of
-- its last transition still finds what it came to.
local SESSION_KEPT_MS = 86400000
local RECENT_KEPT = 20

-- `shown`: recent_sessions shows it. Sets no end for those: the one that pushes them out does.
local function retain_ended(base, id)
  if redis.call('HEXISTS', base .. 's:' .. id, 'shown') == 0 then
    redis.call('PEXPIRE', base .. 's:' .. id, SESSION_KEPT_MS)
  end
end

local function add_recent(base, id)
  if redis.call('LPUSH', base .. 'recent', id) <= RECENT_KEPT then return end
  local old = redis.call('RPOP', base .. 'recent')
  redis.call('HDEL', base .. 's:' .. old, 'shown')
  if redis.call('HEXISTS', base .. 's:' .. old, 'co') == 1 then redis.call('PEXPIRE', base .. 's:' .. old, SESSION_KEPT_MS) end
end
