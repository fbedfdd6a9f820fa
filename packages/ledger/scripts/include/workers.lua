-- Keys of the workers of a model: `w:ID` is the record of a worker and `wl` has the leases. `free` has the free slots
-- of workers that accept streams, and `free:REVISION` the same for one revision. Both also exist with the suffix
-- `@TIER` for one tier. `p` has the sum of all slots of these workers. The counts are updated with each change, so that
-- a placement never iterates over workers.
-- Keys of streams: `a` has the worker of each stream, `at` the time of its placement, and `ws:ID` the streams of a
-- worker. `x:SESSION` is a tombstone. It makes place.lua refuse a late call for a stream that leave.lua has released.
-- @include leases
-- Longest time for which a stream may hold a slot. With the default settings, no stream lasts that long. If a slot is
-- held for longer, its release was lost.
local PLACED_MS = 10800000
local PLACED_AT_ONCE = 100
-- Longest time for which a session may hold capacity after check_leases has restarted the leases: the default lifetime
-- of a credential, plus 5 s.
local HOLD_MS = 65000

-- Returns the keys of the sets that contain the free slots of a worker. Call it before the record of the worker is
-- deleted, because the record contains the tier.
local function free_keys(base, id, revision)
  local keys = { base .. 'free' }
  if revision then keys[2] = base .. 'free:' .. revision end
  local tier = redis.call('HGET', base .. 'w:' .. id, 'tier')
  if tier and tier ~= '' then
    for i = 1, #keys do keys[#keys + 1] = keys[i] .. '@' .. tier end
  end
  return keys
end

local function drop_free(base, id, revision)
  for _, key in ipairs(free_keys(base, id, revision)) do redis.call('ZREM', key, id) end
end

local function add_free(base, id, revision, slots)
  for _, key in ipairs(free_keys(base, id, revision)) do redis.call('ZINCRBY', key, slots, id) end
end

-- Changes the slots of a worker. Streams keep their slots, so a worker can have more streams than slots. Its number of
-- free slots is then negative, and it gets no new stream until enough of its streams have ended or moved.
local function resize_worker(base, id, slots)
  local w = redis.call('HMGET', base .. 'w:' .. id, 'slots', 'draining', 'revision')
  local more = slots - tonumber(w[1])
  if more == 0 then return end
  redis.call('HSET', base .. 'w:' .. id, 'slots', slots)
  if w[2] == '1' then return end
  redis.call('HINCRBY', base .. 'p', 'slots', more)
  add_free(base, id, w[3], more)
end

-- Removes a worker but not its streams. If the worker registers again, it still has them.
local function forget_worker(base, id)
  local w = redis.call('HMGET', base .. 'w:' .. id, 'slots', 'draining', 'revision')
  if w[1] and w[2] ~= '1' then redis.call('HINCRBY', base .. 'p', 'slots', 0 - w[1]) end
  drop_free(base, id, w[3])
  redis.call('DEL', base .. 'w:' .. id)
  end_lease(base .. 'wl', id)
end

local function free_slot(base, session)
  redis.call('ZREM', base .. 'at', session)
  local id = redis.call('HGET', base .. 'a', session)
  if not id then return end
  redis.call('HDEL', base .. 'a', session)
  redis.call('SREM', base .. 'ws:' .. id, session)
  local w = redis.call('HMGET', base .. 'w:' .. id, 'revision', 'draining', 'active')
  -- The worker has no record any more, or its record does not count this stream. Its count must not become negative.
  if not w[1] or tonumber(w[3]) < 1 then return end
  redis.call('HINCRBY', base .. 'w:' .. id, 'active', -1)
  if w[2] ~= '1' then add_free(base, id, w[1], 1) end
end

local function take_slot(base, session, id, revision, now)
  redis.call('HSET', base .. 'a', session, id)
  redis.call('ZADD', base .. 'at', now, session)
  redis.call('SADD', base .. 'ws:' .. id, session)
  add_free(base, id, revision, -1)
  redis.call('HINCRBY', base .. 'w:' .. id, 'active', 1)
end

-- Assigns a stream to the worker that still serves it. If this worker drains, it is not in the sets of free slots, so
-- only its streams are counted.
local function return_to_worker(base, session, id, now)
  local w = redis.call('HMGET', base .. 'w:' .. id, 'draining', 'revision')
  if not w[1] then return end
  if w[1] ~= '1' then return take_slot(base, session, id, w[2], now) end
  redis.call('HSET', base .. 'a', session, id)
  redis.call('ZADD', base .. 'at', now, session)
  redis.call('SADD', base .. 'ws:' .. id, session)
  redis.call('HINCRBY', base .. 'w:' .. id, 'active', 1)
end

-- Returns the number of streams of a worker. Gateways of earlier versions do not remove streams from `ws:ID`. A stream
-- that has ended or moved is therefore removed here.
local function count_streams(base, id)
  local count = 0
  for _, session in ipairs(redis.call('SMEMBERS', base .. 'ws:' .. id)) do
    if redis.call('HGET', base .. 'a', session) == id then count = count + 1
    else redis.call('SREM', base .. 'ws:' .. id, session) end
  end
  return count
end

-- Releases the slots of a worker that has ended. The gateways of its streams move the streams to other workers.
local function drop_streams(base, id)
  for _, session in ipairs(redis.call('SMEMBERS', base .. 'ws:' .. id)) do
    if redis.call('HGET', base .. 'a', session) == id then free_slot(base, session) end
  end
  redis.call('DEL', base .. 'ws:' .. id)
end

-- Removes workers whose lease has expired, and releases slots that were held for too long.
local function drop_dead(base, now)
  -- If the leases were restarted, every stream counts as placed now. Otherwise the slots of the streams could be
  -- released too early because the clock stepped forward.
  if check_leases(base .. 'wl', now) then
    for _, session in ipairs(redis.call('ZRANGEBYSCORE', base .. 'at', '-inf', '+inf')) do redis.call('ZADD', base .. 'at', now, session) end
    -- After the clock stepped back, holds would last longer by the size of the step. They are shortened to HOLD_MS.
    for _, session in ipairs(redis.call('ZRANGEBYSCORE', base .. 'h', '(' .. now + HOLD_MS, '+inf')) do redis.call('ZADD', base .. 'h', now + HOLD_MS, session) end
  end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. 'wl', '-inf', now)) do forget_worker(base, id) end
  for _, session in ipairs(redis.call('ZRANGEBYSCORE', base .. 'at', '-inf', now - PLACED_MS, 'LIMIT', 0, PLACED_AT_ONCE)) do
    free_slot(base, session)
  end
end
