#!lua flags=allow-oom
-- Adds to the counts of streams, failures and latencies of a model revision.
-- KEYS  1 pool
-- ARGV  1 revision  2 streams  3 failures  then pairs: latency bucket, count
local key = string.sub(KEYS[1], 1, -2) .. 'rc'
redis.call('HINCRBY', key, ARGV[1] .. '|streams', ARGV[2])
redis.call('HINCRBY', key, ARGV[1] .. '|failures', ARGV[3])
for i = 4, #ARGV, 2 do redis.call('HINCRBY', key, ARGV[1] .. '|' .. ARGV[i], ARGV[i + 1]) end
return 'ok'
