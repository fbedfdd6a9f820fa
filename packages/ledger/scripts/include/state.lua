-- Returns the state of a session. The state is the field `st`, which is absent until the session is confirmed. A
-- session without this field is provisional if it is due before its credential expires. If it is due exactly when its
-- credential expires, an earlier version has confirmed it without setting the field. If it is not in `live`, it has
-- ended.
local function state_by_due(session, due)
  if session.state then return session.state end
  if not due then return 'expired' end
  return tonumber(due) < session.expires and 'provisional' or 'reserved'
end

local function state_of(base, id, session)
  return session.state or state_by_due(session, redis.call('ZSCORE', base .. 'live', id))
end
