#!lua flags=allow-oom
-- Returns gateway processes whose lease has expired. A process is returned again only after a while, so that one reaper
-- can fail its streams.
-- KEYS  1 gateways
-- ARGV  1 '1' to return only the time  2 time until a process is returned again, ms
-- returns { now, gateway, … }
-- @include now_ms
local now = now_ms()
local reply = { now }
if ARGV[1] == '1' then return reply end
-- Dead processes move to a set of their own, so that a late renewal fails.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 10)) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZADD', KEYS[1] .. ':dead', now, id)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1] .. ':dead', '-inf', now, 'LIMIT', 0, 10)) do
  redis.call('ZADD', KEYS[1] .. ':dead', now + tonumber(ARGV[2]), id)
  reply[#reply + 1] = id
end
return reply
