-- Ends overdue sessions: removes provisional ones whose lease has expired, and expires reserved ones whose credential
-- has expired. An active session is left to the reaper, because its gateway may still serve it.
-- Returns the number of sessions ended and the ids of overdue active sessions.
-- @include end_any
local OVERDUE_AT_ONCE = 200

local function expire_overdue(base, now)
  local overdue = redis.call('ZRANGEBYSCORE', base .. 'live', '-inf', now, 'WITHSCORES', 'LIMIT', 0, OVERDUE_AT_ONCE)
  local active = {}
  for i = 1, #overdue, 2 do
    local id = overdue[i]
    if redis.call('HGET', base .. 's:' .. id, 'st') == 'active' then active[#active + 1] = id
    else end_any(base, id, overdue[i + 1], now, 'expired', 'no handshake', 'credential_expired 0', 'lease') end
  end
  return #overdue / 2 - #active, active
end
