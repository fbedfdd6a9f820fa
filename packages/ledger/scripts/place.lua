#!lua flags=allow-oom
-- Assigns a stream to the worker with the most free slots, or enqueues it. A repeated call returns the same worker,
-- unless that worker was removed or is to be avoided. A stream that avoids a worker moves to another one, and is served
-- before new streams. While a rollout splits sessions between revisions, each session prefers one revision. A session
-- falls back to another revision if the preferred one has no free slot. Within a revision, a session gets a slot of the
-- first tier that has a free one.
-- A worker that drains or has too many streams may still serve the stream. The stream then counts at that worker until
-- another worker has a free slot. It does not count as queued. If its worker does not drain, it gets another worker
-- only after all queued streams.
-- KEYS  1 pool
-- ARGV  1 session  2 tenant  3 workers to avoid, as ' a b ', or ''  4 worker that still serves the stream, or ''
--       5 gateway that is notified on the channel n:GATEWAY when a queued stream gets a worker, or ''
--       6 priority of the tenant: high, normal or low
-- returns { worker, address, revision, further addresses, separated by spaces }
--   | { '', slots, growth } if the stream is queued: call again after a notification, and renew its place with wait.lua
--     growth: what new workers of the pool wait for, as PoolGrowthState in src/pool-types.ts, or '' if there are none
--   | {} if leave.lua released the stream before this call, or if the stream stays at the worker that still serves it
-- @include now_ms
-- @include serve_queue
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local session, tenant, avoid, serving, gateway = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5] or ''
local list = ARGV[6] == 'high' and 'qh' or ARGV[6] == 'low' and 'ql' or 'q'
local moving = avoid ~= '  ' and avoid ~= ''
drop_dead(base, now)
if redis.call('EXISTS', base .. 'x:' .. session) == 1 then return {} end

-- Returns the worker of the session. Returns nil if the session has no worker, or if the worker must be avoided or has
-- no record. After nil, the second value is the id of this worker, or false if there is none.
local function current_worker()
  local id = redis.call('HGET', base .. 'a', session)
  local w = id and redis.call('HMGET', base .. 'w:' .. id, 'address', 'revision', 'further')
  if not w or not w[1] or string.find(avoid, ' ' .. id .. ' ', 1, true) then return nil, id end
  return { id, w[1], w[2], w[3] or '' }
end

local worker, current = current_worker()
if worker then
  leave_queue(base, session, tenant)
  serve_queue(base, now)
  return worker
end
if current and current ~= serving then free_slot(base, session) end

local excess = is_excess(base, serving)
local is_first = not excess and redis.call('ZCOUNT', base .. 'qm', '-inf', '(' .. EXCESS_AFTER) == 0
local queue_is_empty = is_first and (moving or not first_in_queue(base, now))
if not queue_is_empty then
  join_queue(base, session, tenant, now, moving, serving, avoid, gateway, list)
  serve_queue(base, now, session)
  worker = current_worker()
end
-- serve_queue skips at most SKIPPED_AT_ONCE streams of `qm` that avoid all workers with free slots. If more of them are
-- before this stream, this stream can still get a free slot here.
local id = not worker and (queue_is_empty or moving and not excess) and choose_worker(base, session, avoid)
if id then
  assign(base, session, tenant, id, now)
  worker = current_worker()
end
if worker then return worker end

if queue_is_empty then join_queue(base, session, tenant, now, moving, serving, avoid, gateway, list) end
redis.call('ZREM', base .. 'h', session)
if serving ~= '' then
  -- The stream had been assigned to another worker, which has failed.
  if current ~= serving then return_to_worker(base, session, serving, now) end
  return {}
end
local pool = redis.call('HMGET', KEYS[1], 'slots', 'growth')
return { '', pool[1] or '0', pool[2] or '' }
