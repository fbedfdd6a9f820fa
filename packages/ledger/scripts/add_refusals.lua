#!lua
-- Adds refused requests to the list of a tenant, and keeps the newest ones. Does nothing without an account, so that no
-- record of a purged tenant is created.
-- KEYS  1 account
-- ARGV  1… refusals as lines (src/refusals.ts), oldest first
-- returns nothing
local REFUSALS_KEPT = 200
local REFUSALS_RETENTION_MS = 604800000
local key = string.sub(KEYS[1], 1, -2) .. 'rf'
if redis.call('EXISTS', KEYS[1]) == 0 then return end
redis.call('LPUSH', key, unpack(ARGV))
redis.call('LTRIM', key, 0, REFUSALS_KEPT - 1)
redis.call('PEXPIRE', key, REFUSALS_RETENTION_MS)
