#!lua flags=allow-oom
-- Gateways whose lease ran out; the first answer about one takes it from the others' sight for a while.
-- KEYS  1 gateways
-- ARGV  1 1: only tell the time  2 how long they are out of sight, ms
-- returns { now, gateway, … }
-- @include now_ms
local now = now_ms()
local reply = { now }
if ARGV[1] == '1' then return reply end
-- The dead are moved to a set of their own: a renewal that comes late finds nothing.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 10)) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZADD', KEYS[1] .. ':dead', now, id)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1] .. ':dead', '-inf', now, 'LIMIT', 0, 10)) do
  redis.call('ZADD', KEYS[1] .. ':dead', now + tonumber(ARGV[2]), id)
  reply[#reply + 1] = id
end
return reply
