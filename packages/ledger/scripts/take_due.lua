#!lua flags=allow-oom
-- Returns marks that are due. A mark is returned again only after a while, so that one reaper can process and remove
-- it.
-- KEYS  1 due marks
-- ARGV  1 maximum number of marks  2 time until a mark is returned again, ms
-- returns { member, … }
-- @include now_ms
local now = now_ms()
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), member) end
return due
