#!lua flags=allow-oom
-- Ends overdue sessions of a tenant. Called by the reaper.
-- KEYS  1 account
-- returns { number of sessions ended in this call, now }
-- @include now_ms
-- @include expire_overdue
local now = now_ms()
return { expire_overdue(string.sub(KEYS[1], 1, -2), now), now }
