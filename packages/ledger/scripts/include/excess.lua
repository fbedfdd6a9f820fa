-- Excess streams: streams that wait for another worker because their worker has more streams than slots. Their worker
-- does not drain and still serves them. In the sorted set `qm`, the score of a stream is the time at which it was
-- queued. For excess streams, EXCESS_AFTER is added, so that they come after all streams that must leave their worker.
local EXCESS_AFTER = 1e15

-- Returns whether a waiting stream is an excess stream. `serving` is the worker that still serves it. It is '' or '-'
-- if there is none.
local function is_excess(base, serving)
  return redis.call('HGET', base .. 'w:' .. serving, 'draining') == '0'
end

-- Returns whether a worker has a slot for each of its streams again. A draining worker is not in `free`.
local function has_recovered(base, id)
  local free = redis.call('ZSCORE', base .. 'free', id)
  return free and tonumber(free) >= 0
end

-- Moves the excess streams of a worker forward in the queue, so that they come before new streams. Call when the worker
-- starts to drain.
local function advance_excess(base, id)
  for _, session in ipairs(redis.call('SMEMBERS', base .. 'ws:' .. id)) do
    local score = redis.call('ZSCORE', base .. 'qm', session)
    if score and tonumber(score) >= EXCESS_AFTER then redis.call('ZINCRBY', base .. 'qm', -EXCESS_AFTER, session) end
  end
end
