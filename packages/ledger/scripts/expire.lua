#!lua flags=allow-oom
-- Ends a tenant's sessions that are past their time; called by the reaper, without any request.
-- KEYS  1 account
-- returns { how many were ended in this call, now }
-- @include now_ms
-- @include expire_overdue
local now = now_ms()
return { expire_overdue(string.sub(KEYS[1], 1, -2), now), now }
