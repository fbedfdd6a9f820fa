-- @include deadline
-- @include session
-- @include state
-- Shortens deadlines that were set before the clock of Redis stepped back. Otherwise, if the clock steps back by an
-- hour, a session that never connects would count as live for an additional hour. No stream is ended early, because the
-- new deadline is later than the end of the longest stream that starts now.
local function shorten_deadlines(base, now)
  local live = redis.call('ZRANGE', base .. 'live', 0, -1, 'WITHSCORES')
  for i = 1, #live, 2 do
    local id, due = live[i], tonumber(live[i + 1])
    local session = read_session(base, id)
    local state = session and state_by_due(session, due)
    local latest = session and (state == 'active' and stream_deadline or credential_deadline)(session, now)
    if session and due > latest then
      -- Stores the state first. The old deadline may have been the only sign that the session is reserved (see
      -- state.lua).
      if state == 'reserved' then redis.call('HSET', base .. 's:' .. id, 'st', 'reserved') end
      redis.call('ZADD', base .. 'live', latest, id)
    end
  end
end
