#!lua flags=allow-oom
-- Assigns a stream to the worker with the most free slots, or enqueues it. A repeat returns the same worker, unless it
-- is among the workers to avoid: then the stream moves to another one, ahead of the queue. While a rollout splits
-- sessions between revisions, each session prefers one revision and falls back to another if that one has no free slot.
-- Within a revision, a session gets a slot of the first tier that has a free one.
-- A stream that a draining worker still serves stays counted there until another worker has a free slot. It is not
-- queued.
-- KEYS  1 pool
-- ARGV  1 session  2 tenant  3 workers to avoid, as ' a b ', or ''  4 draining worker that still serves the stream, or ''
-- returns { worker, address, revision, further addresses, separated by spaces } | { '', slots, growth } if the stream is
--   queued; call again every few hundred ms. {} if the stream has left before or stays where it is.
-- @include now_ms
-- @include workers
-- @include queue
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local session, tenant, avoid, serving = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local function avoided(id) return string.find(avoid, ' ' .. id .. ' ', 1, true) end
drop_dead(base, now)
if redis.call('EXISTS', base .. 'x:' .. session) == 1 then return {} end

-- Returns the revision that a session prefers. It depends on the session id only, so a repeat prefers the same one.
local function revision_of(weights, id)
  if not weights then return nil end
  local point = (tonumber(string.sub(id, 1, 8), 16) or 0) % 100
  for revision, weight in string.gmatch(weights, '(%S+) (%d+)') do
    point = point - weight
    if point < 0 then return revision end
  end
end

local current = redis.call('HGET', base .. 'a', session)
local moving = avoid ~= '  ' and avoid ~= ''
if current then
  local w = redis.call('HMGET', base .. 'w:' .. current, 'address', 'revision', 'further')
  if w[1] and not avoided(current) then return { current, w[1], w[2], w[3] or '' } end
  if current ~= serving then free_slot(base, session) end
end

local first = not moving and first_in_queue(base, now)
if not first or first == session then
  -- Reads one worker more than the number to avoid, so that at least one of them is not avoided.
  local _, spaces = string.gsub(avoid, '%S+', '')
  local function most_free(key)
    local free = redis.call('ZREVRANGE', key, 0, spaces, 'WITHSCORES')
    for i = 1, #free, 2 do
      if tonumber(free[i + 1]) >= 1 and not avoided(free[i]) then return free[i] end
    end
  end
  local pool = redis.call('HMGET', KEYS[1], 'weights', 'tiers')
  -- Workers without a tier, and those of a tier that was removed, come last.
  local function preferred(key)
    for tier in string.gmatch(pool[2] or '', '%S+') do
      local found = most_free(key .. '@' .. tier)
      if found then return found end
    end
    return most_free(key)
  end
  local own = revision_of(pool[1], session)
  local id = own and preferred(base .. 'free:' .. own) or preferred(base .. 'free')
  if id then
    local w = redis.call('HMGET', base .. 'w:' .. id, 'address', 'revision', 'further')
    free_slot(base, session)
    take_slot(base, session, id, w[2], now)
    redis.call('ZREM', base .. 'h', session)
    rotate_queue(base, session, tenant)
    return { id, w[1], w[2], w[3] or '' }
  end
end
if serving ~= '' then
  -- The worker to which the stream should have moved has failed.
  if current ~= serving then return_to_draining(base, session, serving, now) end
  return {}
end
join_queue(base, session, tenant, now)
redis.call('ZADD', base .. 'qs', now, session)
redis.call('ZREM', base .. 'h', session)
local pool = redis.call('HMGET', KEYS[1], 'slots', 'growth')
return { '', pool[1] or '0', pool[2] or '' }
