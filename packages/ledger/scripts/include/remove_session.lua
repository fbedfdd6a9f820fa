-- @include facts
-- @include gcra
-- @include journal
-- Rolls a reservation back as if it had never been created, for a request that was refused or never answered.
local function remove_session(base, id, reason)
  local key = base .. 's:' .. id
  local session = redis.call('HMGET', key, 'd', 'idk')
  local reserved = read_facts(session[1]).reserved
  limit_journal(base)
  if session[2] and redis.call('GET', base .. 'idem:' .. session[2]) == id then
    redis.call('DEL', base .. 'idem:' .. session[2])
  end
  -- Only answered sessions count against the session rate, so this one is subtracted.
  local account = redis.call('HMGET', base .. 'a', 'reserved', 'rs', 'spm')
  redis.call('HSET', base .. 'a', 'reserved', account[1] - reserved, 'rs', gcra_text(account[2] - GCRA_WINDOW_MS / account[3]))
  redis.call('ZREM', base .. 'live', id)
  redis.call('LREM', base .. 'recent', 1, id)
  redis.call('DEL', key)
  journal(base, 'cancel', id, 0, -reserved, 0, reason)
end
