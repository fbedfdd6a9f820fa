-- A model's workers. `w:ID` a worker, `wl` leases, `free` free slots of those that take streams, `a` which worker a
-- stream is on, `p` slots in all. Placement never walks over workers: counts are kept as they change.
local function forget_worker(base, id)
  local w = redis.call('HMGET', base .. 'w:' .. id, 'slots', 'draining')
  if w[1] and w[2] ~= '1' then redis.call('HINCRBY', base .. 'p', 'slots', -w[1]) end
  redis.call('DEL', base .. 'w:' .. id)
  redis.call('ZREM', base .. 'wl', id)
  redis.call('ZREM', base .. 'free', id)
end

-- Workers whose lease ran out are gone; their streams are moved by the gateways that hold them.
local function drop_dead(base, now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. 'wl', '-inf', now)) do forget_worker(base, id) end
end

local function free_slot(base, session)
  local id = redis.call('HGET', base .. 'a', session)
  if not id then return end
  redis.call('HDEL', base .. 'a', session)
  if redis.call('EXISTS', base .. 'w:' .. id) == 0 then return end
  redis.call('HINCRBY', base .. 'w:' .. id, 'active', -1)
  if redis.call('ZSCORE', base .. 'free', id) then redis.call('ZINCRBY', base .. 'free', 1, id) end
end
