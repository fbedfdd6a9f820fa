#!lua
-- Confirms a provisional session: it becomes reserved and lives until its credential expires. No credit moves, so there
-- is no journal entry.
-- KEYS  1 account
-- ARGV  1 session id
-- returns 'ok' | 'gone' if the session was removed or has ended
-- @include now_ms
-- @include deadline
-- @include facts
-- @include recent
-- @include state
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local key = base .. 's:' .. id
local due = redis.call('ZSCORE', base .. 'live', id)
local s = redis.call('HMGET', key, 'st', 'd')
if not due or not s[2] then return 'gone' end
local fact = read_facts(s[2])
if state_by_due(s[1], due, fact.expires) == 'provisional' then
  redis.call('HSET', key, 'st', 'reserved')
  redis.call('ZADD', base .. 'live', credential_deadline(fact, now_ms()), id)
  add_recent(base, id)
end
return 'ok'
