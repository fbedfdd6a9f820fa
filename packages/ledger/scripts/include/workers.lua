-- A model's workers. `w:ID` a worker, `wl` leases, `free` free slots of those that take streams, `free:REVISION` the same
-- of one revision, `a` which worker a stream is on, `p` slots in all. Placement never walks over workers: counts are
-- kept as they change.
local function drop_free(base, id, revision)
  redis.call('ZREM', base .. 'free', id)
  if revision then redis.call('ZREM', base .. 'free:' .. revision, id) end
end

local function add_free(base, id, revision, slots)
  redis.call('ZINCRBY', base .. 'free', slots, id)
  redis.call('ZINCRBY', base .. 'free:' .. revision, slots, id)
end

local function forget_worker(base, id)
  local w = redis.call('HMGET', base .. 'w:' .. id, 'slots', 'draining', 'revision')
  if w[1] and w[2] ~= '1' then redis.call('HINCRBY', base .. 'p', 'slots', -w[1]) end
  redis.call('DEL', base .. 'w:' .. id)
  redis.call('ZREM', base .. 'wl', id)
  drop_free(base, id, w[3])
end

-- Workers whose lease ran out are gone; their streams are moved by the gateways that hold them.
local function drop_dead(base, now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. 'wl', '-inf', now)) do forget_worker(base, id) end
end

local function free_slot(base, session)
  local id = redis.call('HGET', base .. 'a', session)
  if not id then return end
  redis.call('HDEL', base .. 'a', session)
  local w = redis.call('HMGET', base .. 'w:' .. id, 'revision', 'draining', 'active')
  -- A worker that was started again under its name has none of the streams that it had.
  if not w[1] or tonumber(w[3]) < 1 then return end
  redis.call('HINCRBY', base .. 'w:' .. id, 'active', -1)
  if w[2] ~= '1' then add_free(base, id, w[1], 1) end
end
