-- Assigns free slots to queued streams. Scripts that add capacity call serve_queue.
-- @include workers
-- @include queue
-- Number of streams that one call serves, so that it does not block Redis for long. The gateways of the served streams
-- then call place.lua, which serves further streams. Excess streams are not counted. A worker has them beyond its slots.
local SERVED_AT_ONCE = 256
-- Largest number of streams in `qm` that one call skips because they avoid all workers with free slots.
local SKIPPED_AT_ONCE = 64
-- Largest number of excess streams that one call checks. The next call checks the excess streams after them.
local EXCESS_AT_ONCE = 16

-- Returns the revision that a session prefers, or nil if there are no weights. The revision depends only on the weights
-- and the session id, so that a repeat returns the same revision.
local function revision_of(weights, id)
  if not weights then return nil end
  local point = (tonumber(string.sub(id, 1, 8), 16) or 0) % 100
  for revision, weight in string.gmatch(weights, '(%S+) (%d+)') do
    point = point - weight
    if point < 0 then return revision end
  end
end

-- Returns the worker for a session, or nil if no worker that it may use has a free slot. `avoid` is '' or ' a b '.
local function choose_worker(base, session, avoid)
  -- Reads one worker more than there are workers to avoid, so that the result contains at least one worker that need
  -- not be avoided.
  local _, spaces = string.gsub(avoid, '%S+', '')
  local function most_free(key)
    local free = redis.call('ZREVRANGE', key, 0, spaces, 'WITHSCORES')
    for i = 1, #free, 2 do
      -- Gateways of the previous version do not update the sets of tiers. The set of all workers is always correct.
      local slots = tonumber(redis.call('ZSCORE', base .. 'free', free[i]) or 0)
      if slots >= 1 and not string.find(avoid, ' ' .. free[i] .. ' ', 1, true) then return free[i] end
    end
  end
  local pool = redis.call('HMGET', base .. 'p', 'weights', 'tiers')
  -- The tiers are tried in order. Workers without a tier, and workers of a removed tier, are tried last.
  local function preferred(key)
    for tier in string.gmatch(pool[2] or '', '%S+') do
      local found = most_free(key .. '@' .. tier)
      if found then return found end
    end
    return most_free(key)
  end
  local own = revision_of(pool[1], session)
  return own and preferred(base .. 'free:' .. own) or preferred(base .. 'free')
end

-- Moves a session to a slot of this worker: from the queue, from the capacity that is held until it connects, or from
-- another worker.
local function assign(base, session, tenant, id, now)
  free_slot(base, session)
  take_slot(base, session, id, redis.call('HGET', base .. 'w:' .. id, 'revision'), now)
  redis.call('ZREM', base .. 'h', session)
  if tenant then rotate_queue(base, session, tenant) else leave_queue(base, session) end
end

local function has_free(base)
  local most = redis.call('ZREVRANGE', base .. 'free', 0, 0, 'WITHSCORES')
  return most[2] and tonumber(most[2]) >= 1
end

-- Returns two values for a stream in `qm`, the queue of streams that move: the worker that still serves the stream ('-'
-- if there is none), and the workers to avoid. If the stream no longer waits, removes it and returns nil.
local function read_moving(base, session, now)
  local serving, avoid = string.match(redis.call('HGET', base .. 'qi', session) or '', '^%S* (%S+)(.*)$')
  if avoid and still_waits(base, session, now) then return serving, avoid end
  redis.call('ZREM', base .. 'qm', session)
  leave_queue(base, session)
end

-- Assigns streams of the queue to workers while slots are free, and notifies the gateways of these streams. No
-- notification is sent for the session `own`, because its gateway is the caller and gets the worker as the result.
local function serve_queue(base, now, own)
  local served, count = {}, 0
  local function serve(session, tenant, id)
    local gateway = string.match(redis.call('HGET', base .. 'qi', session) or '', '^%S+')
    assign(base, session, tenant, id, now)
    count = count + 1
    if gateway and session ~= own then served[gateway] = (served[gateway] or '') .. ' ' .. session end
  end
  local skipped = 0
  while count < SERVED_AT_ONCE and skipped < SKIPPED_AT_ONCE and has_free(base) do
    local first = redis.call('ZRANGE', base .. 'qm', skipped, skipped, 'WITHSCORES')
    local session = first[1]
    if not session or tonumber(first[2]) >= EXCESS_AFTER then break end
    local serving, avoid = read_moving(base, session, now)
    if serving and is_excess(base, serving) then
      -- Gateways of the previous version add excess streams without EXCESS_AFTER.
      redis.call('ZINCRBY', base .. 'qm', EXCESS_AFTER, session)
    elseif serving then
      local id = choose_worker(base, session, avoid)
      if id then serve(session, nil, id) else skipped = skipped + 1 end
    end
  end
  while count < SERVED_AT_ONCE and has_free(base) do
    local session, tenant, turns = first_in_queue(base, now)
    local id = session and choose_worker(base, session, '')
    if not id then break end
    serve(session, tenant, id)
    if turns and #turns > 0 then redis.call('HSET', base .. 'p', unpack(turns)) end
  end
  local excess = has_free(base) and redis.call('ZRANGEBYSCORE', base .. 'qm', EXCESS_AFTER, '+inf', 'LIMIT', 0, EXCESS_AT_ONCE)
  for _, session in ipairs(excess or {}) do
    local serving, avoid = read_moving(base, session, now)
    local id = serving and not has_recovered(base, serving) and choose_worker(base, session, avoid)
    if id then serve(session, nil, id)
    -- A stream that stays at its worker moves to the end of the queue, so that it does not block the others.
    elseif serving then redis.call('ZADD', base .. 'qm', now + EXCESS_AFTER, session) end
  end
  for gateway, sessions in pairs(served) do
    -- A Redis user without the right to publish sends no notification. The streams then get their worker when their
    -- gateway next renews their places.
    redis.pcall('SPUBLISH', base .. 'n:' .. gateway, string.sub(sessions, 2))
  end
end
