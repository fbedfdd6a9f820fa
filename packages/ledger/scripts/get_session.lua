#!lua flags=allow-oom
-- Returns a session by its id, after ending overdue sessions.
-- KEYS  1 account
-- ARGV  1 session id
-- returns { id, model, state, audio ms, billable ms, created, completed or 0, end reason or '', close code or 0 }
--         {}: no such session, or it ended too long ago
-- @include now_ms
-- @include expire_overdue
-- @include session
-- @include recent
-- @include state
local base = string.sub(KEYS[1], 1, -2)
local id = ARGV[1]
expire_overdue(base, now_ms())
local ended = find_recent(base, id)
if ended then
  return { id, ended.model, ended.state, ended.audio, ended.billable, ended.created, ended.completed, ended.reason or '',
    ended.code or 0 }
end
local session = read_session(base, id)
if not session then return {} end
local state = state_of(base, id, session)
-- The request that creates the provisional session has not been answered yet, so the session does not exist for
-- clients.
if state == 'provisional' then return {} end
return { id, session.model, state, session.audio or 0, session.billable or 0, session.created, session.completed or 0, '',
  0 }
