#!lua flags=allow-oom
-- Closes the account of a deleted Tenant. Its sessions fail without a charge, and provisional ones are removed. Its
-- data expires after the retention time at the latest. One call ends a limited number of sessions, so that it does not
-- block Redis for long.
-- KEYS  1 account
-- ARGV  1 retention ms
-- returns the number of sessions still to end; call again until it is 0
-- @include now_ms
-- @include end_any
-- @include daily_usage
local AT_ONCE = 200
local base = string.sub(KEYS[1], 1, -2)
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'state', 'Deleted')
local live = redis.call('ZRANGE', base .. 'live', 0, AT_ONCE - 1, 'WITHSCORES')
for i = 1, #live, 2 do
  end_any(base, live[i], live[i + 1], now_ms(), 'failed', 'tenant deleted', 'account_deleted 0', 'tenant deleted')
end
for _, part in ipairs({ 'a', 'g', 'j', 'jc' }) do redis.call('PEXPIRE', base .. part, ARGV[1]) end
redis.call('PEXPIRE', base .. 'recent', ARGV[1], 'LT')
redis.call('PEXPIRE', base .. 'rf', ARGV[1], 'LT')
expire_usage(base, now_ms(), ARGV[1], 'LT')
return redis.call('ZCARD', base .. 'live')
