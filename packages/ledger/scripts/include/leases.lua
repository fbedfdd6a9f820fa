-- Leases of processes, in a sorted set of process ids by expiry.
-- `KEY:beat` is the time of the last check of the leases. If it is more than LEASE_GAP_MS away from now, Redis was
-- unavailable, its clock stepped, or no process has checked the leases. Processes may then have been unable to renew
-- their leases, so every lease is restarted. A lease is restarted only once until its process renews it, so that a dead
-- process is still detected. `KEY:late` holds the processes whose lease was restarted and not renewed since.
local LEASE_MS = 15000
local LEASE_GAP_MS = 5000
-- Shortest interval between two writes of `KEY:beat`.
local BEAT_MS = 500

-- Restarts the leases if the time of the last check is more than LEASE_GAP_MS away from now. Returns true if it did.
local function check_leases(key, now)
  local last = tonumber(redis.call('GET', key .. ':beat') or now - BEAT_MS)
  local step = math.abs(now - last)
  if step < BEAT_MS then return false end
  redis.call('SET', key .. ':beat', now)
  if step <= LEASE_GAP_MS then return false end
  -- A gateway that shuts down sets the expiry of its lease to 0. Such a lease is not restarted.
  local leases = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'WITHSCORES')
  for i = 1, #leases, 2 do
    local id, expiry = leases[i], tonumber(leases[i + 1])
    -- A lease that was already restarted keeps the time that it had left at the last check. The clock may have stepped
    -- twice before the process could renew its lease.
    local left = redis.call('SADD', key .. ':late', id) == 1 and LEASE_MS or math.min(LEASE_MS, expiry - last)
    redis.call('ZADD', key, now + left, id)
  end
  return true
end

local function renew_lease(key, id, now, ms)
  redis.call('ZADD', key, now + ms, id)
  redis.call('SREM', key .. ':late', id)
end

local function end_lease(key, id)
  redis.call('ZREM', key, id)
  redis.call('SREM', key .. ':late', id)
end
