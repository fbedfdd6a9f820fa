#!lua flags=allow-oom
-- Renews the places of queued streams of one gateway, and assigns free slots. Gateways call it regularly, because a
-- notification can be lost.
-- KEYS  1 pool
-- ARGV  sessions, at most 1,000
-- returns { slots, growth as in place.lua, sessions that are not queued, … }: call place.lua for each of these sessions
-- @include now_ms
-- @include serve_queue
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
drop_dead(base, now)
serve_queue(base, now)
local pool = redis.call('HMGET', KEYS[1], 'slots', 'growth')
local reply = { pool[1] or '0', pool[2] or '' }
local queued = redis.call('ZMSCORE', base .. 'qs', unpack(ARGV))
local served = redis.call('ZMSCORE', base .. 'qd', unpack(ARGV))
local renewals = { qs = {}, qd = {} }
for i, session in ipairs(ARGV) do
  local list = queued[i] and renewals.qs or served[i] and renewals.qd
  if list then
    list[#list + 1] = now
    list[#list + 1] = session
  else reply[#reply + 1] = session end
end
for key, list in pairs(renewals) do
  if #list > 0 then redis.call('ZADD', base .. key, unpack(list)) end
end
return reply
