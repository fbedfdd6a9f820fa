-- Queue of streams that wait for a slot. Streams that lost their worker, or whose worker drains, come first: `qm`, by
-- the time at which they joined. New streams follow, round-robin by tenant: `q` tenants in order, `q:TENANT` a tenant's
-- sessions. `qs` has the time of each session's last request, `qd` the same for streams that a draining worker still
-- serves. `qi` has the gateway of each session, its draining worker or '-', and the workers to avoid.
-- A session without a request for QUEUE_TTL_MS loses its place. Gateways replace the value. The functions of workers use
-- this one, which is the longest that a gateway can have.
local QUEUE_TTL_MS = 60000

local function leave_queue(base, session, tenant)
  if redis.call('HDEL', base .. 'qi', session) == 1 then
    redis.call('ZREM', base .. 'qm', session)
    redis.call('ZREM', base .. 'qd', session)
  end
  if redis.call('ZREM', base .. 'qs', session) == 0 or not tenant then return end
  redis.call('LREM', base .. 'q:' .. tenant, 1, session)
  if redis.call('EXISTS', base .. 'q:' .. tenant) == 0 then redis.call('LREM', base .. 'q', 1, tenant) end
end

-- Adds a session to the queue, or renews its place. `serving` is the draining worker that still serves it, or ''.
local function join_queue(base, session, tenant, now, moving, serving, avoid, gateway)
  local was_moving = redis.call('ZSCORE', base .. 'qm', session)
  if was_moving and not moving or moving and not was_moving then leave_queue(base, session, tenant) end
  if moving then
    redis.call('ZADD', base .. 'qm', 'NX', now, session)
    redis.call('ZREM', base .. (serving == '' and 'qd' or 'qs'), session)
    redis.call('ZADD', base .. (serving == '' and 'qs' or 'qd'), now, session)
  elseif redis.call('ZADD', base .. 'qs', now, session) == 1 then
    if redis.call('RPUSH', base .. 'q:' .. tenant, session) == 1 then redis.call('RPUSH', base .. 'q', tenant) end
  end
  redis.call('HSET', base .. 'qi', session, gateway .. ' ' .. (serving == '' and '-' or serving) .. avoid)
end

-- Returns whether a session still waits. A time in the future was written before the clock stepped back.
local function still_waits(base, session, now)
  local asked = redis.call('ZSCORE', base .. 'qs', session) or redis.call('ZSCORE', base .. 'qd', session)
  if asked and tonumber(asked) > now then
    redis.call('ZADD', base .. 'qs', 'XX', now, session)
    redis.call('ZADD', base .. 'qd', 'XX', now, session)
  end
  return asked and now - asked <= QUEUE_TTL_MS
end

-- Returns the new stream that is served next and its tenant, after removing sessions that no longer wait.
local function first_in_queue(base, now)
  while true do
    local tenant = redis.call('LINDEX', base .. 'q', 0)
    if not tenant then return nil end
    local session = redis.call('LINDEX', base .. 'q:' .. tenant, 0)
    if not session then redis.call('LPOP', base .. 'q')
    elseif still_waits(base, session, now) then return session, tenant
    elseif redis.call('ZSCORE', base .. 'qs', session) then leave_queue(base, session, tenant)
    else redis.call('LPOP', base .. 'q:' .. tenant) end
  end
end

-- Removes a served session from the queue and moves its tenant to the end.
local function rotate_queue(base, session, tenant)
  leave_queue(base, session, tenant)
  if redis.call('LREM', base .. 'q', 1, tenant) == 1 then redis.call('RPUSH', base .. 'q', tenant) end
end
