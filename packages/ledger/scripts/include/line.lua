-- The line of sessions that wait for a slot, round-robin by tenant: `q` the tenants in turn, `q:TENANT` a tenant's
-- sessions, `qs` when each was last asked for. Who has not asked for LINE_PATIENCE_MS is no longer there.
local LINE_PATIENCE_MS = 3000

local function leave_line(base, session, tenant)
  if redis.call('ZREM', base .. 'qs', session) == 0 then return end
  redis.call('LREM', base .. 'q:' .. tenant, 1, session)
  if redis.call('EXISTS', base .. 'q:' .. tenant) == 0 then redis.call('LREM', base .. 'q', 1, tenant) end
end

local function join_line(base, session, tenant, now)
  if redis.call('ZADD', base .. 'qs', now, session) == 0 then return end
  if redis.call('RPUSH', base .. 'q:' .. tenant, session) == 1 then redis.call('RPUSH', base .. 'q', tenant) end
end

-- The session whose turn it is, after those that went away were dropped.
local function first_in_line(base, now)
  while true do
    local tenant = redis.call('LINDEX', base .. 'q', 0)
    if not tenant then return nil end
    local session = redis.call('LINDEX', base .. 'q:' .. tenant, 0)
    if session and now - tonumber(redis.call('ZSCORE', base .. 'qs', session) or 0) <= LINE_PATIENCE_MS then return session end
    if session then leave_line(base, session, tenant) else redis.call('LPOP', base .. 'q') end
  end
end

-- The tenant that was served goes to the end.
local function take_turn(base, session, tenant)
  leave_line(base, session, tenant)
  if redis.call('LREM', base .. 'q', 1, tenant) == 1 then redis.call('RPUSH', base .. 'q', tenant) end
end
