-- A session that ended is kept while recent_sessions shows it, and for SESSION_KEPT_MS after, so that a late repeat of
-- its last transition still finds what it came to.
local SESSION_KEPT_MS = 86400000
local RECENT_KEPT = 20

local function retain_ended(base, id)
  if not redis.call('ZSCORE', base .. 'recent', id) then redis.call('PEXPIRE', base .. 's:' .. id, SESSION_KEPT_MS) end
end

local function add_recent(base, id, sequence)
  redis.call('ZADD', base .. 'recent', sequence, id)
  for _, old in ipairs(redis.call('ZRANGE', base .. 'recent', 0, -1 - RECENT_KEPT)) do
    redis.call('ZREM', base .. 'recent', old)
    if redis.call('HEXISTS', base .. 's:' .. old, 'co') == 1 then retain_ended(base, old) end
  end
end
