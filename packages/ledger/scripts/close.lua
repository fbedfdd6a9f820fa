#!lua flags=allow-oom
-- The Tenant resource is gone: live sessions fail uncharged, the account is closed and kept for the retention time.
-- KEYS  1 account
-- ARGV  1 retention ms
-- returns how many sessions were ended
-- @include now_ms
-- @include end_session
local base = string.sub(KEYS[1], 1, -2)
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local live = redis.call('ZRANGE', base .. 'live', 0, -1)
for _, id in ipairs(live) do end_session(base, id, 'failed', now_ms(), 0, 0, 'tenant deleted') end
redis.call('HSET', KEYS[1], 'state', 'Deleted')
for _, part in ipairs({ 'a', 'g', 'j', 'jc', 'recent' }) do redis.call('PEXPIRE', base .. part, ARGV[1]) end
for _, id in ipairs(redis.call('LRANGE', base .. 'recent', 0, -1)) do redis.call('PEXPIRE', base .. 's:' .. id, ARGV[1]) end
return #live
