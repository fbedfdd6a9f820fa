-- @include session
-- @include journal
-- Ends a session that `live` still lists although its record is missing. Its reservation is the reserved credit that no
-- other session holds.
local function end_missing(base, id)
  redis.call('ZREM', base .. 'live', id)
  redis.call('LREM', base .. 'recent', 1, id)
  local held = 0
  for _, other in ipairs(redis.call('ZRANGE', base .. 'live', 0, -1)) do
    local session = read_session(base, other)
    if session then held = held + session.reserved end
  end
  local released = redis.call('HGET', base .. 'a', 'reserved') - held
  redis.call('HINCRBY', base .. 'a', 'reserved', 0 - released)
  journal(base, 'expire', id, 0, -released, 0, 'its record is missing')
end
