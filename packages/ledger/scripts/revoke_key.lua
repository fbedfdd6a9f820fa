#!lua flags=allow-oom
-- Revokes an API key. Its record is kept for the retention time, so that gateways can report the key as revoked. If the
-- key had already expired, the retention time starts at its expiry. A repeat does not extend the time. This script also
-- runs when Redis is out of memory.
-- KEYS  1 API key
-- ARGV  1 retention ms
-- @include now_ms
if redis.call('EXISTS', KEYS[1]) == 0 then return 'ok' end
redis.call('HSET', KEYS[1], 'revoked', '1')
local kept = tonumber(ARGV[1])
local expires = tonumber(redis.call('HGET', KEYS[1], 'expires'))
if expires then kept = math.min(kept, math.floor(expires) - now_ms() + kept) end
redis.call('PEXPIRE', KEYS[1], string.format('%d', kept), 'LT')
return 'ok'
