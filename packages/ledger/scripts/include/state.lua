-- Returns the state of a session. The state is the field `st`, which is absent until the session is confirmed. Without
-- this field, the state follows from the score of the session in the sorted set `live`, which is the time at which the
-- session is due. A session that is due before its credential expires is provisional. A session that is due exactly
-- when its credential expires was confirmed by an earlier version, which did not set the field. A session that is not
-- in `live` has ended.
local function state_by_due(session, due)
  if session.state then return session.state end
  if not due then return 'expired' end
  return tonumber(due) < session.expires and 'provisional' or 'reserved'
end

local function state_of(base, id, session)
  return session.state or state_by_due(session, redis.call('ZSCORE', base .. 'live', id))
end
