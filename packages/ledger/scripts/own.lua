#!lua
-- Records a stream that a gateway process is about to connect. If the process dies, the reaper finds the stream in this
-- record.
-- KEYS  1 owned streams
-- ARGV  1 'EPOCH TENANT SESSION' or, for a later session of a chain, 'EPOCH TENANT SESSION FIRST_SESSION'
-- returns 1 | 0 if the process was declared dead and its streams are being failed
if redis.call('EXISTS', string.sub(KEYS[1], 1, -2) .. 'x') == 1 then return 0 end
redis.call('SADD', KEYS[1], ARGV[1])
return 1
