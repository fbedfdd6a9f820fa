#!lua flags=allow-oom
-- Returns the workers of a pool whose lease is valid.
-- KEYS  1 pool
-- returns { { worker, lease expiry, address, revision, slots, active, draining, further addresses, device, tier,
--   slots measured at its start }, … }
-- @include now_ms
-- @include workers
local base = string.sub(KEYS[1], 1, -2)
drop_dead(base, now_ms())
local reply = {}
local leases = redis.call('ZRANGE', base .. 'wl', 0, -1, 'WITHSCORES')
for i = 1, #leases, 2 do
  local w = redis.call('HMGET', base .. 'w:' .. leases[i], 'address', 'revision', 'slots', 'active', 'draining', 'further', 'device', 'tier', 'measured')
  reply[#reply + 1] = { leases[i], tonumber(leases[i + 1]), w[1], w[2], tonumber(w[3]), tonumber(w[4]), tonumber(w[5]), w[6] or '', w[7] or '', w[8] or '', tonumber(w[9] or w[3]) }
end
return reply
