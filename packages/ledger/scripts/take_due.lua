#!lua flags=allow-oom
-- Hands marks that are due to one reaper; until it removes them they are out of the others' sight for a while.
-- KEYS  1 due marks
-- ARGV  1 how many at most  2 how long they are out of sight, ms
-- returns { member, … }
-- @include now_ms
local now = now_ms()
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), member) end
return due
