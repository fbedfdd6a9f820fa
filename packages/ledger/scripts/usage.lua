#!lua flags=allow-oom
-- Returns the balance of an account and the first sessions of its list `recent`, newest first. Ends overdue sessions
-- first.
-- KEYS  1 account
-- returns { granted, reserved, consumed, { month, ms per month, ms left } of the budget or {},
--   { id, model, state, audio ms, billable ms, created, completed or 0 }, … } | {}
-- @include now_ms
-- @include expire_overdue
-- @include budget
-- @include session
-- @include recent
local base = string.sub(KEYS[1], 1, -2)
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local now = now_ms()
expire_overdue(base, now)
local budget = renew_budget(base, now)
local total = redis.call('HMGET', KEYS[1], 'granted', 'reserved', 'consumed')
local reply = { tonumber(total[1]), tonumber(total[2]), tonumber(total[3]),
  budget and { budget.month, budget.amount, budget.left } or {} }
for _, line in ipairs(redis.call('LRANGE', base .. 'recent', 0, RECENT_SHOWN - 1)) do
  local ended = read_ended(line)
  if ended then
    reply[#reply + 1] = { ended.id, ended.model, ended.state, ended.audio, ended.billable, ended.created, ended.completed }
  else
    local session = read_session(base, line)
    if session then
      reply[#reply + 1] = { line, session.model, session.state or 'reserved', session.audio or 0, session.billable or 0,
        session.created, session.completed or 0 }
    end
  end
end
return reply
