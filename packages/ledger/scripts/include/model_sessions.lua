-- @include deadline
-- Live sessions of one model, in the sorted set `m:MODEL` by the latest time at which each session ends. Sessions are
-- added only while the tenant has a limit for this model. A later session of a chain is added if the previous session
-- was added.
local MODEL_SESSIONS_AT_ONCE = 200
-- Lifetime of a set after the last session was added. It is longer than any session.
local MODEL_SESSIONS_MS = 86400000

local function add_model_session(base, id, session, now)
  local set = base .. 'm:' .. session.model
  redis.call('ZADD', set, stream_deadline(session, now), id)
  redis.call('PEXPIRE', set, MODEL_SESSIONS_MS)
end

-- Returns the number of entries in the set of a model. Scripts of an earlier version, and sessions whose record is
-- missing, may leave entries behind. If the number has reached the limit, first removes overdue entries whose session
-- is not live any more.
local function count_model_sessions(base, model, limit, now)
  local set = base .. 'm:' .. model
  local count = redis.call('ZCARD', set)
  if count < limit then return count end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', set, '-inf', now, 'LIMIT', 0, MODEL_SESSIONS_AT_ONCE)) do
    local due = redis.call('ZSCORE', base .. 'live', id)
    -- If the session is still live, its gateway serves the stream for longer than usual. Its entry is then kept.
    if due then redis.call('ZADD', set, math.max(due, now + 1000), id) else redis.call('ZREM', set, id) end
  end
  return redis.call('ZCARD', set)
end
