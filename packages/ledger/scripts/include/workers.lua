-- Workers of a model: `w:ID` a worker, `wl` leases, `free` free slots of workers that accept streams, `free:REVISION`
-- the same for one revision, `a` worker of each stream, `p` total slots. Counts are updated with each change, so that
-- placement never iterates over workers.
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

-- Forgets workers whose lease has expired. The gateways that hold their streams move them.
local function drop_dead(base, now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. 'wl', '-inf', now)) do forget_worker(base, id) end
end

local function free_slot(base, session)
  local id = redis.call('HGET', base .. 'a', session)
  if not id then return end
  redis.call('HDEL', base .. 'a', session)
  local w = redis.call('HMGET', base .. 'w:' .. id, 'revision', 'draining', 'active')
  -- A worker that restarted under the same name has none of its former streams.
  if not w[1] or tonumber(w[3]) < 1 then return end
  redis.call('HINCRBY', base .. 'w:' .. id, 'active', -1)
  if w[2] ~= '1' then add_free(base, id, w[1], 1) end
end
