#!lua
-- Confirms a provisional session. It becomes reserved and lives until its credential expires. Credit does not change,
-- so there is no journal entry.
-- KEYS  1 account
-- ARGV  1 session id
-- returns 'ok' | 'gone' if the session was removed or has ended
-- @include now_ms
-- @include deadline
-- @include session
-- @include recent
-- @include state
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local key = base .. 's:' .. id
local due = redis.call('ZSCORE', base .. 'live', id)
local session = read_session(base, id)
if not due or not session then return 'gone' end
if state_by_due(session, due) == 'provisional' then
  redis.call('HSET', key, 'st', 'reserved')
  redis.call('ZADD', base .. 'live', credential_deadline(session, now_ms()), id)
  add_recent(base, id)
end
return 'ok'
