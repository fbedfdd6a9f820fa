#!lua
-- Confirms a provisional session: it becomes reserved and lives until its credential expires. No credit moves, so there
-- is no journal entry.
-- KEYS  1 account
-- ARGV  1 session id  2 expiry of its credential, as reserve.lua returned it, ms
-- returns 'ok' | 'gone' if the session was removed
-- @include recent
local base = string.sub(KEYS[1], 1, -2)
-- Raises the score only of a provisional session. A reserved session has this score already, and an active session has
-- a higher one.
if redis.call('ZADD', base .. 'live', 'XX', 'GT', 'CH', ARGV[2], ARGV[1]) == 1 then
  add_recent(base, ARGV[1])
  return 'ok'
end
return redis.call('ZSCORE', base .. 'live', ARGV[1]) and 'ok' or 'gone'
