-- Deadlines of sessions. If the clock of Redis stepped back after a session was created, the recorded expiry lies
-- further ahead than a credential can live. The deadline is then computed as if the session were created now.

-- Returns the time by which a session expires that never connects.
local function credential_deadline(session, now) return math.min(session.expires, now + session.expires - session.created) end

-- Returns the time by which an active session ends. The handshake takes place before the credential expires. The stream
-- then waits for a worker (120 s), which opens it (3 s). It lasts at most its reserved audio and an extra time (300 s).
-- Its last `final` takes at most 5 s, and its settlement a lease (15 s). The gateway derives the sum from its settings.
-- A stream that lasts longer is not lost: the reaper extends the deadline while a live gateway owns the stream.
local STREAM_EXTRA_MS = 443000
local function stream_deadline(session, now) return credential_deadline(session, now) + session.reserved + STREAM_EXTRA_MS end
