-- Appends one entry to the tenant's journal. Every CHECKPOINT_EVERY-th entry is a checkpoint with the totals; past
-- CHECKPOINTS_KEPT of them the journal is cut so that it begins with one: what is left can always be replayed.
local CHECKPOINT_EVERY = 1000
local CHECKPOINTS_KEPT = 10

local function journal(base, kind, subject, granted, reserved, consumed, detail)
  redis.call('XADD', base .. 'j', '*', 't', kind, 's', subject, 'g', granted, 'r', reserved, 'c', consumed, 'd', detail)
  if redis.call('XLEN', base .. 'j') % CHECKPOINT_EVERY ~= CHECKPOINT_EVERY - 1 then return end
  local total = redis.call('HMGET', base .. 'a', 'granted', 'reserved', 'consumed')
  local id = redis.call('XADD', base .. 'j', '*', 't', 'checkpoint', 's', '', 'g', total[1], 'r', total[2], 'c', total[3], 'd', '')
  if redis.call('RPUSH', base .. 'jc', id) > CHECKPOINTS_KEPT then
    redis.call('LPOP', base .. 'jc')
    -- Exactly: the length tells when the next checkpoint is due.
    redis.call('XTRIM', base .. 'j', 'MINID', '=', redis.call('LINDEX', base .. 'jc', 0))
  end
end
