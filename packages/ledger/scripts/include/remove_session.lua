-- Takes a reservation back as if it had never been made: for a request that was refused or never answered.
local function remove_session(base, id, now, reason)
  local key = base .. 's:' .. id
  local session = redis.call('HMGET', key, 'res', 'idk', 'si')
  local reserved = tonumber(session[1])
  redis.call('HINCRBY', base .. 'a', 'reserved', -reserved)
  if session[2] and redis.call('GET', base .. 'idem:' .. session[2]) == id then
    redis.call('DEL', base .. 'idem:' .. session[2])
  end
  -- Only answered sessions count against the session rate: its interval goes back.
  local arrival = redis.call('GET', base .. 'r:s')
  if arrival then gcra_store(base .. 'r:s', math.max(now + 1, arrival - tonumber(session[3])), now) end
  redis.call('ZREM', base .. 'live', id)
  redis.call('LREM', base .. 'recent', 1, id)
  redis.call('DEL', key)
  journal(base, 'cancel', id, 0, -reserved, 0, reason)
end
