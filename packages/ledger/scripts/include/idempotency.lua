-- Deletes the link from the Idempotency-Key of a session to the session, so that the key may create a new one.
local function release_idempotency(base, id, session)
  local key = session.idempotency and base .. 'idem:' .. session.idempotency
  if key and redis.call('GET', key) == id then redis.call('DEL', key) end
end
