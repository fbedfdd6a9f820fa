-- Reads at most OVERDUE_AT_ONCE overdue sessions. Removes provisional sessions whose lease has expired, and expires
-- reserved sessions whose credential has expired. Overdue active sessions are left to the reaper, because their
-- gateways may still serve them. Returns the number of ended sessions and the ids of overdue active sessions.
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
