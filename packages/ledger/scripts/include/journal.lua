-- A tenant's journal. Once CHECKPOINT_EVERY entries were added since the last, there is a checkpoint with the totals; past
-- CHECKPOINTS_KEPT of them the journal is cut so that it begins with one: what is left can always be replayed.
local CHECKPOINT_EVERY = 1000
local CHECKPOINTS_KEPT = 10

-- One field in a line of words (reserve.lua writes its own): kind, subject, changes of granted, reserved and consumed, further facts.
local function journal_line(base, kind, subject, granted, reserved, consumed, detail)
  local line = string.format('%s %s %d %d %d %s', kind, subject, granted, reserved, consumed, detail)
  return redis.call('XADD', base .. 'j', '*', 'e', line)
end

-- Whatever ends something looks whether a checkpoint is due; what begins it need not, as its end will.
local function journal(base, ...)
  journal_line(base, ...)
  local total = redis.call('HMGET', base .. 'a', 'granted', 'reserved', 'consumed', 'jn')
  if redis.call('XLEN', base .. 'j') < tonumber(total[4] or CHECKPOINT_EVERY - 1) then return end
  local id = journal_line(base, 'checkpoint', '-', total[1], total[2], total[3], '')
  if redis.call('RPUSH', base .. 'jc', id) > CHECKPOINTS_KEPT then
    redis.call('LPOP', base .. 'jc')
    -- Exactly: the length tells when the next checkpoint is due.
    redis.call('XTRIM', base .. 'j', 'MINID', '=', redis.call('LINDEX', base .. 'jc', 0))
  end
  redis.call('HSET', base .. 'a', 'jn', redis.call('XLEN', base .. 'j') + CHECKPOINT_EVERY - 1)
end
