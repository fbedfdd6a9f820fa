-- Deadlines of sessions. The clock of Redis may have stepped back after a session was created. The recorded expiry is
-- then further ahead than the lifetime of a credential, and the deadline is computed as if the session were created
-- now.

-- Returns the time at which a session expires if it never connects.
local function credential_deadline(session, now) return math.min(session.expires, now + session.expires - session.created) end

-- Returns the latest time at which an active session ends. The handshake takes place before the credential expires. The
-- stream then waits for a worker (120 s), and the worker opens it (3 s). The stream lasts for at most its reserved
-- audio and an extra time (300 s). Its last `final` takes at most 5 s, and its settlement at most one lease (15 s).
-- The gateway derives the same sum from its settings. A longer stream is not lost, because the reaper extends the
-- deadline while a live gateway owns the stream.
local STREAM_EXTRA_MS = 443000
local function stream_deadline(session, now) return credential_deadline(session, now) + session.reserved + STREAM_EXTRA_MS end
