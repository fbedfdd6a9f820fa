#!lua flags=allow-oom
-- Creates or changes an account: state, scope, limits. One that was closed resumes with its balance and grants.
-- KEYS  1 account
-- ARGV  1 state  2 models, as ' a b '  3 concurrent sessions  4 sessions a minute  5 requests a minute  6 display name
--       7 uid of the Tenant  8 its generation: both empty or absent where there is none, or it is not to be checked
-- returns 'ok' | 'stale' when a newer generation of this very Tenant, or its end, came before
local base = string.sub(KEYS[1], 1, -2)
local uid, generation = ARGV[7] or '', ARGV[8] or ''
local seen = redis.call('HMGET', KEYS[1], 'uid', 'gen', 'state')
if uid ~= '' and seen[1] == uid then
  -- The write of an operator that led before may be late.
  if seen[3] == 'Deleted' or tonumber(generation) < tonumber(seen[2]) then return 'stale' end
end
for _, field in ipairs({ 'granted', 'reserved', 'consumed' }) do redis.call('HSETNX', KEYS[1], field, 0) end
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'models', ARGV[2], 'cc', ARGV[3], 'spm', ARGV[4], 'rpm', ARGV[5], 'name', ARGV[6])
if uid ~= '' then redis.call('HSET', KEYS[1], 'uid', uid, 'gen', generation)
else redis.call('HDEL', KEYS[1], 'uid', 'gen') end
for _, part in ipairs({ 'a', 'g', 'j', 'jc', 'recent' }) do redis.call('PERSIST', base .. part) end
for _, id in ipairs(redis.call('LRANGE', base .. 'recent', 0, -1)) do redis.call('PERSIST', base .. 's:' .. id) end
return 'ok'
