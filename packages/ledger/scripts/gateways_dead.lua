#!lua flags=allow-oom
-- Returns gateway processes whose lease has expired. The same process is returned again only after a while, so that
-- only one reaper at a time fails its streams.
-- KEYS  1 gateways
-- ARGV  1 time until a process is returned again, ms
-- returns { gateway, … }
-- @include now_ms
-- @include leases
local now = now_ms()
local again, dead = now + ARGV[1], KEYS[1] .. ':dead'
check_leases(KEYS[1], now)
-- Dead processes move to a separate set, so that a late renewal of their lease fails.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 10)) do
  end_lease(KEYS[1], id)
  redis.call('ZADD', dead, now, id)
end
-- A time later than `again` was written before the clock stepped back. It is replaced by the present time.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', dead, '(' .. again, '+inf', 'LIMIT', 0, 10)) do redis.call('ZADD', dead, now, id) end
local reply = redis.call('ZRANGEBYSCORE', dead, '-inf', now, 'LIMIT', 0, 10)
for _, id in ipairs(reply) do redis.call('ZADD', dead, again, id) end
return reply
