#!lua
-- Makes a provisional session a reserved one: it now lives until its credential expires. No credit moves, so the
-- journal says nothing of it.
-- KEYS  1 account
-- ARGV  1 session id  2 when its credential expires, as reserve told it, ms
-- returns 'ok' | 'gone'
-- @include retain
local base = string.sub(KEYS[1], 1, -2)
-- A provisional session is due earlier, one that is reserved just then, one that streams never.
if redis.call('ZADD', base .. 'live', 'XX', 'GT', 'CH', ARGV[2], ARGV[1]) == 1 then
  add_recent(base, ARGV[1])
  return 'ok'
end
return redis.call('ZSCORE', base .. 'live', ARGV[1]) and 'ok' or 'gone'
