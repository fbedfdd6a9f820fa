-- Ends what is past its time: provisional sessions past their lease vanish, reserved ones past expires_at expire.
-- @include end_session
-- @include remove_session
local OVERDUE_AT_ONCE = 200

local function expire_overdue(base, now)
  local overdue = redis.call('ZRANGEBYSCORE', base .. 'live', '-inf', now, 'LIMIT', 0, OVERDUE_AT_ONCE)
  for _, id in ipairs(overdue) do
    if redis.call('HGET', base .. 's:' .. id, 'st') == 'provisional' then
      remove_session(base, id, 'lease')
    else
      end_session(base, id, 'expired', now, 0, 0, 'no handshake')
    end
  end
  return #overdue
end
