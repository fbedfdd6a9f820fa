#!lua flags=allow-oom
-- Renews the lease of a gateway process. Publishes how many more streams the process has audio memory for. Gateways of
-- the previous version publish nothing.
-- KEYS  1 gateways
-- ARGV  1 gateway  2 lease ms  3 number of streams that the gateway can accept, or '' to publish nothing
-- returns { number of streams that the other live gateways can accept,
--           number of other live gateways that have published no such number }
--         | nil if there is no lease of the process, because it was declared dead or Redis has lost its data
-- @include now_ms
-- @include leases
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return false end
local now = now_ms()
-- After an outage of Redis, the first check restarts the leases, because no process could renew its own.
check_leases(KEYS[1], now)
renew_lease(KEYS[1], ARGV[1], now, ARGV[2])
local free_key, expiries = KEYS[1] .. ':free', {}
if ARGV[3] ~= '' then redis.call('HSET', free_key, ARGV[1], ARGV[3]) end

local leases = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #leases, 2 do expiries[leases[i]] = tonumber(leases[i + 1]) end
expiries[ARGV[1]] = 0
local published, total = redis.call('HGETALL', free_key), 0
for i = 1, #published, 2 do
  local id = published[i]
  -- The field is removed here and not when the lease ends, because gateways of the previous version remove only the
  -- lease.
  if not expiries[id] then redis.call('HDEL', free_key, id)
  elseif expiries[id] > now then
    total = total + tonumber(published[i + 1])
    expiries[id] = 0
  end
end
local unknown = 0
for _, expiry in pairs(expiries) do
  if expiry > now then unknown = unknown + 1 end
end
return { total, unknown }
