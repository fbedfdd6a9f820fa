#!lua flags=allow-oom
-- Balance and recent sessions, in the order of confirmation, after overdue reservations were returned.
-- KEYS  1 account
-- returns { granted, reserved, consumed, { id, model, state, audio ms, billable ms, created, completed or 0 }, … } | {}
-- @include now_ms
-- @include expire_overdue
local base = string.sub(KEYS[1], 1, -2)
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
expire_overdue(base, now_ms())
local total = redis.call('HMGET', KEYS[1], 'granted', 'reserved', 'consumed')
local reply = { tonumber(total[1]), tonumber(total[2]), tonumber(total[3]) }
for _, id in ipairs(redis.call('LRANGE', base .. 'recent', 0, -1)) do
  local s = redis.call('HMGET', base .. 's:' .. id, 'm', 'st', 'au', 'bi', 'cr', 'co')
  if s[2] then
    reply[#reply + 1] = { id, s[1], s[2], tonumber(s[3] or 0), tonumber(s[4] or 0), tonumber(s[5]), tonumber(s[6] or 0) }
  end
end
return reply
