-- Queue of streams that wait for a slot, round-robin by tenant: `q` tenants in order, `q:TENANT` a tenant's sessions,
-- `qs` time of each session's last call of place.lua. A session without a call for QUEUE_TTL_MS loses its place.
local QUEUE_TTL_MS = 3000

local function leave_queue(base, session, tenant)
  if redis.call('ZREM', base .. 'qs', session) == 0 then return end
  redis.call('LREM', base .. 'q:' .. tenant, 1, session)
  if redis.call('EXISTS', base .. 'q:' .. tenant) == 0 then redis.call('LREM', base .. 'q', 1, tenant) end
end

local function join_queue(base, session, tenant, now)
  if redis.call('ZADD', base .. 'qs', now, session) == 0 then return end
  if redis.call('RPUSH', base .. 'q:' .. tenant, session) == 1 then redis.call('RPUSH', base .. 'q', tenant) end
end

-- Returns the session that is served next, after removing sessions that no longer ask.
local function first_in_queue(base, now)
  while true do
    local tenant = redis.call('LINDEX', base .. 'q', 0)
    if not tenant then return nil end
    local session = redis.call('LINDEX', base .. 'q:' .. tenant, 0)
    local asked = session and tonumber(redis.call('ZSCORE', base .. 'qs', session) or 0)
    -- A later time was written before the clock stepped back.
    if session and asked > now then redis.call('ZADD', base .. 'qs', now, session) end
    if session and now - asked <= QUEUE_TTL_MS then return session end
    if session then leave_queue(base, session, tenant) else redis.call('LPOP', base .. 'q') end
  end
end

-- Removes a served session from the queue and moves its tenant to the end.
local function rotate_queue(base, session, tenant)
  leave_queue(base, session, tenant)
  if redis.call('LREM', base .. 'q', 1, tenant) == 1 then redis.call('RPUSH', base .. 'q', tenant) end
end
