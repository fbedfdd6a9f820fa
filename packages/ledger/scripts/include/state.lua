-- What a session is. From the handshake on its hash says so (`st`). Before, its time in `live` does: a provisional one is due
-- before its credential expires, a reserved one when it does.
local function state_by_due(st, due, expires)
  if st then return st end
  return tonumber(due) < expires and 'provisional' or 'reserved'
end

local function state_of(base, id, st, expires)
  return st or state_by_due(st, redis.call('ZSCORE', base .. 'live', id), expires)
end
