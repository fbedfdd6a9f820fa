-- Excess streams: they wait for another worker, because their worker has more streams than slots. It does not drain and
-- still serves them. In `qm`, EXCESS_AFTER is added to their time, so they follow all streams that cannot stay.
local EXCESS_AFTER = 1e15

-- Returns whether a waiting stream is an excess stream. `serving` is the worker that still serves it, '' or '-'.
local function is_excess(base, serving)
  return redis.call('HGET', base .. 'w:' .. serving, 'draining') == '0'
end

-- Returns whether a worker has a slot for each of its streams again. A draining worker is not in `free`.
local function has_recovered(base, id)
  local free = redis.call('ZSCORE', base .. 'free', id)
  return free and tonumber(free) >= 0
end

-- Lets the excess streams of a worker that starts to drain move before new streams.
local function advance_excess(base, id)
  for _, session in ipairs(redis.call('SMEMBERS', base .. 'ws:' .. id)) do
    local score = redis.call('ZSCORE', base .. 'qm', session)
    if score and tonumber(score) >= EXCESS_AFTER then redis.call('ZINCRBY', base .. 'qm', -EXCESS_AFTER, session) end
  end
end
