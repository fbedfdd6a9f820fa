#!lua flags=allow-oom
-- Ends overdue sessions of a tenant that are not active. Called by the reaper. The reaper itself fails the overdue
-- active sessions that no live gateway serves.
-- KEYS  1 account
-- returns { number of sessions ended in this call, now, earliest deadline of the remaining sessions or 0,
--   { id, owner, epoch, id of the first session of its chain or '' } for each overdue active session, … }
-- @include now_ms
-- @include deadline
-- @include expire_overdue
-- @include gcra
-- @include session
-- @include shorten_deadlines
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
-- Earlier versions stored active sessions without a deadline, which is the score +inf.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. 'live', '+inf', '+inf', 'LIMIT', 0, OVERDUE_AT_ONCE)) do
  local session = read_session(base, id)
  redis.call('ZADD', base .. 'live', session and stream_deadline(session, now) or now, id)
end
local arrival = redis.call('HGET', KEYS[1], 'rs')
if has_stepped_back(arrival, now) then
  shorten_deadlines(base, now)
  redis.call('HSET', KEYS[1], 'rs', gcra_text(now + GCRA_WINDOW_MS))
end
local ended, active = expire_overdue(base, now)
local first = redis.call('ZRANGE', base .. 'live', 0, 0, 'WITHSCORES')
local reply = { ended, now, tonumber(first[2] or 0) }
for _, id in ipairs(active) do
  local session = read_session(base, id)
  reply[#reply + 1] = { id, session.owner, session.epoch, session.chain or '' }
end
return reply
