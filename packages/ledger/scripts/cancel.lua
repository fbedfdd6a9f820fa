#!lua flags=allow-oom
-- Releases a session on behalf of one attempt. An attempt is a request to create the session. The request of this
-- attempt was refused, or its outcome is unknown. The reservation is rolled back when no other attempt holds the
-- session. If the session does not exist yet, a tombstone makes a late call of reserve.lua for it fail.
-- KEYS  1 account
-- ARGV  1 session id  2 attempt  3 idempotency key or ''  4 tombstone lifetime ms  5 reason
--       6 '1' to remove a session that is still provisional even if other attempts hold it
-- returns { 'cancelled', id }: the reservation was rolled back
--         { 'shared', id }: other attempts still hold the session, or no attempt can cancel it (holders '*')
--         { 'kept', id }: the session is active or has ended
--         { 'none', id }: there is no such session
--         id: the session that the attempt held; the Idempotency-Key may have led to another session than ARGV 1
-- @include session
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
local session = read_session(base, held)
local state = session and state_of(base, held, session)
local provisional = state == 'provisional'
if not provisional and state ~= 'reserved' then return { 'kept', held } end
if not (ARGV[6] == '1' and provisional) then
  local holders = session.holders or session.attempt
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
