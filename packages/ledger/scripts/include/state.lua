-- State of a session. From the handshake on it is the field `st`. Before, it follows from the due time in `live`: a
-- provisional session is due before its credential expires, a reserved session exactly then. A session that is not in
-- `live` has ended.
local function state_by_due(st, due, expires)
  if st then return st end
  if not due then return 'expired' end
  return tonumber(due) < expires and 'provisional' or 'reserved'
end

local function state_of(base, id, st, expires)
  return st or state_by_due(st, redis.call('ZSCORE', base .. 'live', id), expires)
end
