#!lua flags=allow-oom
-- Cancels a session on behalf of its tenant. A reserved session expires immediately. For an active session the
-- cancellation is recorded, and its gateway ends the stream. Afterwards, a request with the Idempotency-Key of the
-- session can create a new session.
-- KEYS  1 account
-- ARGV  1 session id
-- returns { 'expired', model }: release the capacity that the pool of the model holds for the session
--         { 'active', owner }: notify this gateway
--         { 'ended' } | { 'unknown' }
-- @include now_ms
-- @include expire_overdue
-- @include end_session
-- @include idempotency
-- @include session
-- @include recent
-- @include state
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
local key = base .. 's:' .. id
expire_overdue(base, now)
local session = read_session(base, id)
if not session then return { find_recent(base, id) and 'ended' or 'unknown' } end
local state = state_of(base, id, session)
if state == 'provisional' then return { 'unknown' } end
release_idempotency(base, id, session)
if state == 'active' then
  redis.call('HSET', key, 'cx', now)
  return { 'active', session.owner }
end
if session.completed then return { 'ended' } end
end_session(base, id, 'expired', now, 0, 0, 'cancelled', 'cancelled 0')
redis.call('DEL', key)
return { 'expired', session.model }
