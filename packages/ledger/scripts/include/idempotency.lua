-- Deletes the link from the Idempotency-Key of a session to the session, so that a request with this key can create a
-- new session.
local function release_idempotency(base, id, session)
  local key = session.idempotency and base .. 'idem:' .. session.idempotency
  if key and redis.call('GET', key) == id then redis.call('DEL', key) end
end
