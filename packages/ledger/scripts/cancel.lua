#!lua flags=allow-oom
-- Lets go of a session on behalf of one attempt whose answer was refused or is unknown. The last one to let go takes
-- the reservation back. Where there is no session yet, a tombstone refuses a reserve that comes late.
-- KEYS  1 account
-- ARGV  1 session id  2 attempt  3 idempotency key or ''  4 how long a late reserve is refused, ms  5 reason
--       6 1: refused for everyone; a session that is still provisional goes, whoever else holds it
-- returns { 'cancelled' | 'shared' | 'none' | 'kept', session id }
-- @include facts
-- @include journal
-- @include remove_session
-- @include state
local base = string.sub(KEYS[1], 1, -2)
local id, attempt, idempotency = ARGV[1], ARGV[2], ARGV[3]
redis.call('SET', base .. 'x:' .. id, '1', 'PX', ARGV[4])
local held = id
if redis.call('EXISTS', base .. 's:' .. id) == 0 then
  held = idempotency ~= '' and redis.call('GET', base .. 'idem:' .. idempotency)
  if not held then return { 'none', id } end
end
local key = base .. 's:' .. held
local s = redis.call('HMGET', key, 'st', 'd', 'h')
local fact = s[2] and read_facts(s[2])
local state = fact and state_of(base, held, s[1], fact.expires)
local provisional = state == 'provisional'
if not provisional and state ~= 'reserved' then return { 'kept', held } end
if not (ARGV[6] == '1' and provisional) then
  local holders = s[3] or fact.attempt
  if holders == '*' then return { 'shared', held } end
  local others = {}
  for holder in string.gmatch(holders, '%S+') do
    if holder ~= attempt then others[#others + 1] = holder end
  end
  if #others > 0 then
    redis.call('HSET', key, 'h', table.concat(others, ' '))
    return { 'shared', held }
  end
end
remove_session(base, held, ARGV[5])
return { 'cancelled', held }
