-- Journal of a tenant. After CHECKPOINT_EVERY entries a checkpoint with the totals follows. Beyond CHECKPOINTS_RETAINED
-- checkpoints the journal is trimmed so that it starts with one, and can therefore always be replayed.
local CHECKPOINT_EVERY = 1000
local CHECKPOINTS_RETAINED = 10

-- Appends one entry, a line of text: kind, subject, changes of granted, reserved and consumed, detail. reserve.lua
-- writes its own line in this format.
local function journal_line(base, kind, subject, granted, reserved, consumed, detail)
  local line = string.format('%s %s %d %d %d %s', kind, subject, granted, reserved, consumed, detail)
  return redis.call('XADD', base .. 'j', '*', 'e', line)
end

-- Appends an entry and a checkpoint if one is due. Entries that start something use journal_line instead, because the
-- entry of their end checks.
local function journal(base, ...)
  journal_line(base, ...)
  local total = redis.call('HMGET', base .. 'a', 'granted', 'reserved', 'consumed', 'jn')
  if redis.call('XLEN', base .. 'j') < tonumber(total[4] or CHECKPOINT_EVERY - 1) then return end
  local id = journal_line(base, 'checkpoint', '-', total[1], total[2], total[3], '')
  if redis.call('RPUSH', base .. 'jc', id) > CHECKPOINTS_RETAINED then
    redis.call('LPOP', base .. 'jc')
    -- Trims exactly, because the length decides when the next checkpoint is due.
    redis.call('XTRIM', base .. 'j', 'MINID', '=', redis.call('LINDEX', base .. 'jc', 0))
  end
  redis.call('HSET', base .. 'a', 'jn', redis.call('XLEN', base .. 'j') + CHECKPOINT_EVERY - 1)
end
