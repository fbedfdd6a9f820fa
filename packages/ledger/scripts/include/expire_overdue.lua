-- Ends overdue sessions: removes provisional ones whose lease has expired, and expires reserved ones whose credential
-- has.
-- @include end_any
local OVERDUE_AT_ONCE = 200

local function expire_overdue(base, now)
  local overdue = redis.call('ZRANGEBYSCORE', base .. 'live', '-inf', now, 'WITHSCORES', 'LIMIT', 0, OVERDUE_AT_ONCE)
  for i = 1, #overdue, 2 do end_any(base, overdue[i], overdue[i + 1], now, 'expired', 'no handshake', 'lease') end
  return #overdue / 2
end
