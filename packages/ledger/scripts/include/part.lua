-- @include journal
-- @include recent
-- @include model_sessions
-- Creates the next session of a chain. It is active immediately and has the owner, the connection, the model and the
-- origin of the session `before`, which the caller has ended. It has no credential, so no client can connect to it.
-- `is_limited` is true if the new session must count for the limit of its model.
local function open_part(base, id, before, chain, reserved, created, now, is_limited)
  local key = base .. 's:' .. id
  redis.call('HINCRBY', base .. 'a', 'reserved', reserved)
  redis.call('HSET', key, 'model', before.model, 'created', created, 'expires', created, 'reserved', reserved,
    'st', 'active', 'ow', before.owner, 'ep', before.epoch, 'cn', before.connection, 'at', now, 'ch', chain)
  if before.by then redis.call('HSET', key, 'by', before.by) end
  local part = { model = before.model, created = created, expires = created, reserved = reserved }
  redis.call('ZADD', base .. 'live', stream_deadline(part, now), id)
  if is_limited then add_model_session(base, id, part, now) end
  add_recent(base, id)
  journal(base, 'reserve', id, 0, reserved, 0, before.model)
end

-- Returns whether a live session counts for a limit of its model.
local function is_model_limited(base, id, session)
  return redis.call('ZSCORE', base .. 'm:' .. session.model, id) ~= false
end

-- End reason and close code of a session after which another session of its chain continues the stream. Code 0 means
-- that the stream was not closed.
local PART_IS_FULL = 'audio_limit_reached 0'
