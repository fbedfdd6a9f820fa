#!lua flags=allow-oom
-- Creates or changes an account: state, scope, limits. One that was closed resumes with its balance and grants.
-- KEYS  1 account
-- ARGV  1 state  2 models, as ' a b '  3 concurrent sessions  4 sessions a minute  5 requests a minute  6 display name
local base = string.sub(KEYS[1], 1, -2)
for _, field in ipairs({ 'granted', 'reserved', 'consumed' }) do redis.call('HSETNX', KEYS[1], field, 0) end
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'models', ARGV[2], 'cc', ARGV[3], 'spm', ARGV[4], 'rpm', ARGV[5], 'name', ARGV[6])
for _, part in ipairs({ 'a', 'g', 'j', 'jc', 'recent' }) do redis.call('PERSIST', base .. part) end
for _, id in ipairs(redis.call('LRANGE', base .. 'recent', 0, -1)) do redis.call('PERSIST', base .. 's:' .. id) end
return 'ok'
