-- Queue of streams that wait for a slot, in the order in which they are served:
--   1. Streams that lost their worker, or whose worker drains: `qm`, by the time at which they joined the queue.
--   2. New streams, by the priority of their tenant, and round-robin by tenant within a priority. `qh`, `q` and
--      `ql` list the tenants with streams of high, normal and low priority. `qh:TENANT`, `q:TENANT` and `ql:TENANT`
--      list the sessions of a tenant. Gateways of earlier versions use `q` only.
--   3. Excess streams (see excess.lua): the end of `qm`.
-- `qs` has the time of the last call of place.lua or wait.lua for each session that no worker serves. `qd` has this
-- time for each session whose worker still serves it but drains or has too many streams. `qi` has the gateway of each
-- session, the worker that still serves it or '-', and the workers to avoid.
-- A session without such a call for QUEUE_TTL_MS loses its place. Gateways replace this value in their scripts by their
-- setting. Workers and operators use the value below, which is the longest that the setting allows.
-- @include excess
local QUEUE_TTL_MS = 60000

-- Lists of tenants, the list of the highest priority first.
local LISTS = { 'qh', 'q', 'ql' }
-- Number of streams of a priority that are served while streams of a lower priority wait. Then one stream of a lower
-- priority is served, and the count starts again. Streams of a higher priority may be served in between. Before the
-- next stream of low priority, at most 24 other streams are served.
local STREAMS_BEFORE_LOWER = 4

-- Removes a session from the queue. Returns the tenant list in which it was (`qh`, `q` or `ql`), or nil if it was in
-- none. `tenant` may be nil for a stream of `qm`, which is in no list.
local function leave_queue(base, session, tenant)
  if redis.call('HDEL', base .. 'qi', session) == 1 then
    redis.call('ZREM', base .. 'qm', session)
    redis.call('ZREM', base .. 'qd', session)
  end
  if redis.call('ZREM', base .. 'qs', session) == 0 or not tenant then return nil end
  for _, list in ipairs({ 'q', 'qh', 'ql' }) do
    local sessions = base .. list .. ':' .. tenant
    if redis.call('LREM', sessions, 1, session) == 1 then
      if redis.call('EXISTS', sessions) == 0 then redis.call('LREM', base .. list, 1, tenant) end
      return list
    end
  end
end

-- Adds a session to the queue, or renews its place. A queued session keeps its list, so a changed priority applies only
-- to later sessions of the tenant. `serving` is the worker that still serves the session, or ''.
local function join_queue(base, session, tenant, now, moving, serving, avoid, gateway, list)
  local was_moving = redis.call('ZSCORE', base .. 'qm', session)
  if was_moving and not moving or moving and not was_moving then leave_queue(base, session, tenant) end
  if moving then
    local after = is_excess(base, serving) and EXCESS_AFTER or 0
    -- A moving stream keeps its place, unless it becomes an excess stream or is no longer one.
    if was_moving and (tonumber(was_moving) < EXCESS_AFTER) ~= (after == 0) then redis.call('ZREM', base .. 'qm', session) end
    redis.call('ZADD', base .. 'qm', 'NX', now + after, session)
    redis.call('ZREM', base .. (serving == '' and 'qd' or 'qs'), session)
    redis.call('ZADD', base .. (serving == '' and 'qs' or 'qd'), now, session)
  elseif redis.call('ZADD', base .. 'qs', now, session) == 1 then
    if redis.call('RPUSH', base .. list .. ':' .. tenant, session) == 1 then redis.call('RPUSH', base .. list, tenant) end
  end
  redis.call('HSET', base .. 'qi', session, gateway .. ' ' .. (serving == '' and '-' or serving) .. avoid)
end

-- Returns whether a session still waits. If its time is in the future, it was written before the clock stepped back.
local function still_waits(base, session, now)
  local asked = redis.call('ZSCORE', base .. 'qs', session) or redis.call('ZSCORE', base .. 'qd', session)
  if asked and tonumber(asked) > now then
    redis.call('ZADD', base .. 'qs', 'XX', now, session)
    redis.call('ZADD', base .. 'qd', 'XX', now, session)
  end
  return asked and now - asked <= QUEUE_TTL_MS
end

-- Returns the first session of a list and its tenant, after removing sessions that no longer wait.
local function first_of_list(base, list, now)
  while true do
    local tenant = redis.call('LINDEX', base .. list, 0)
    if not tenant then return nil end
    local sessions = base .. list .. ':' .. tenant
    local session = redis.call('LINDEX', sessions, 0)
    if not session then redis.call('LPOP', base .. list)
    elseif still_waits(base, session, now) then return session, tenant
    elseif redis.call('ZSCORE', base .. 'qs', session) then leave_queue(base, session, tenant)
    else redis.call('LPOP', sessions) end
  end
end

-- Returns the new stream that is served next, its tenant, and a list of field names and values. The caller sets these
-- fields of the pool when it serves the stream. The field `turns:LIST` counts the streams of a list that were served
-- while a lower priority waited, since the lower priority last had its turn.
local function first_in_queue(base, now)
  if redis.call('EXISTS', base .. 'qh', base .. 'ql') == 0 then return first_of_list(base, 'q', now) end
  local waiting, turns = {}, {}
  for _, list in ipairs(LISTS) do
    local session, tenant = first_of_list(base, list, now)
    if session then waiting[#waiting + 1] = { session = session, tenant = tenant, field = 'turns:' .. list } end
  end
  for i, first in ipairs(waiting) do
    if i == #waiting then return first.session, first.tenant, turns end
    local served = tonumber(redis.call('HGET', base .. 'p', first.field) or 0)
    local is_next = served < STREAMS_BEFORE_LOWER
    turns[#turns + 1] = first.field
    turns[#turns + 1] = is_next and served + 1 or 0
    if is_next then return first.session, first.tenant, turns end
  end
end

-- Removes a served session from the queue and moves its tenant to the end of the tenant list.
local function rotate_queue(base, session, tenant)
  local list = leave_queue(base, session, tenant)
  if list and redis.call('LREM', base .. list, 1, tenant) == 1 then redis.call('RPUSH', base .. list, tenant) end
end
