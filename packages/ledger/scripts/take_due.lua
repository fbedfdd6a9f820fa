#!lua flags=allow-oom
-- Returns marks that are due. A mark is a time at which a tenant may have overdue sessions, see src/due.ts. The same
-- mark is returned again only after a while, so that only one reaper at a time processes and removes it.
-- KEYS  1 due marks
-- ARGV  1 maximum number of marks  2 time until a mark is returned again, ms
--       3 longest time until a mark is due, ms; a later mark was set before the clock stepped back and counts as due
-- returns { member, … }
-- @include now_ms
local now = now_ms()
local count = tonumber(ARGV[1])
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, count)
if #due < count then
  local far = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now + ARGV[3], '+inf', 'LIMIT', 0, count - #due)
  for _, member in ipairs(far) do due[#due + 1] = member end
end
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], now + ARGV[2], member) end
return due
