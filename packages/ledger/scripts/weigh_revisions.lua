#!lua
-- Sets the share of new sessions that each revision of a model receives. Deletes the counts of all other revisions.
-- KEYS  1 pool
-- ARGV  pairs: revision, percent
local key = string.sub(KEYS[1], 1, -2) .. 'rc'
local weights, named = {}, {}
for i = 1, #ARGV, 2 do
  weights[#weights + 1] = ARGV[i] .. ' ' .. ARGV[i + 1]
  named[ARGV[i]] = true
end
redis.call('HSET', KEYS[1], 'weights', table.concat(weights, ' '))
for _, field in ipairs(redis.call('HKEYS', key)) do
  if not named[string.match(field, '^[^|]+')] then redis.call('HDEL', key, field) end
end
return 'ok'
