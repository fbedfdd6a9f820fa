#!lua flags=allow-oom
-- Moves journal entries that are old enough from the stream to the totals of the account. If there is an exporter,
-- moves only entries that it has acknowledged.
-- KEYS  1 account
-- ARGV  1 id of the last exported entry, or '' if there is no exporter  2 age above which entries are removed, ms
-- returns { number of entries removed, number of entries left } | { -1 } if there is no account
-- @include now_ms
-- @include journal
local FOLD_PER_CALL = 1000
local base = string.sub(KEYS[1], 1, -2)
local acknowledged = redis.call('HMGET', KEYS[1], 'state', 'jx')
if not acknowledged[1] then return { -1 } end
-- Removes what earlier versions stored: the ids of checkpoints in `jc`, and the time of the next checkpoint in `jn`.
redis.call('DEL', base .. 'jc')
redis.call('HDEL', KEYS[1], 'jn')

-- Compares the ids of two entries of a stream. Returns whether the first id is lower than the second.
local function is_before(one, other)
  local one_ms, one_count = string.match(one, '^(%d+)-(%d+)$')
  local other_ms, other_count = string.match(other, '^(%d+)-(%d+)$')
  if one_ms ~= other_ms then return tonumber(one_ms) < tonumber(other_ms) end
  return tonumber(one_count) < tonumber(other_count)
end

local last = string.format('%d-0', now_ms() - tonumber(ARGV[2]))
if ARGV[1] == '' then
  if acknowledged[2] then redis.call('HDEL', KEYS[1], 'jx') end
else
  local exported = ARGV[1]
  -- An operator process that is no longer the leader may acknowledge an older entry late.
  if acknowledged[2] and is_before(exported, acknowledged[2]) then exported = acknowledged[2] end
  if exported ~= acknowledged[2] then redis.call('HSET', KEYS[1], 'jx', exported) end
  if is_before(exported, last) then last = exported end
end
local left = fold_journal(base, last, FOLD_PER_CALL)
return { left, redis.call('XLEN', base .. 'j') }
