-- @include session
-- @include journal
-- Ends a session that is listed in `live` although its record is missing. The missing record contained its reservation.
-- The reservation is therefore computed as the reserved credit of the account minus the reservations of all other live
-- sessions.
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
