-- @include billing
-- @include session
-- @include recent
-- @include journal
local JOURNAL_KINDS = { completed = 'settle', failed = 'fail', expired = 'expire' }

-- Changes a session to a terminal state. Releases the reservation, charges `billable`, and writes the end to `recent`
-- and to the journal. `how` holds end reason and close code, such as 'idle_timeout 4408', or is nil. Returns the audio
-- ms, or nil if the session had ended before or has no record.
local function end_session(base, id, state, now, samples, billable, reason, how)
  local key = base .. 's:' .. id
  local session = read_session(base, id)
  -- A terminal state never changes.
  if not session or session.completed then
    redis.call('ZREM', base .. 'live', id)
    if session then redis.call('ZREM', base .. 'm:' .. session.model, id) end
    return
  end
  local audio = audio_ms(samples)
  limit_journal(base)
  end_recent(base, id, ended_line(id, state, session, now, audio, billable, how))
  -- This is written before any credit changes. If Redis refuses a later command of this script, a repeat must not
  -- charge again.
  redis.call('HSET', key, 'st', state, 'au', audio, 'bi', billable, 'co', now)
  if billable > 0 and redis.call('HGET', base .. 'a', 'ba') then
    -- @include budget
    -- The charge counts for the month in which the session ends. The daily usage counts it on the day of the end.
    local part = math.min(billable, renew_budget(base, now).left)
    -- Not `-part`, because Lua writes a negated 0 as -0, which Redis refuses.
    redis.call('HINCRBY', base .. 'a', 'bl', 0 - part)
    redis.call('HINCRBY', base .. 'a', 'bu', part)
  end
  redis.call('HINCRBY', base .. 'a', 'reserved', 0 - session.reserved)
  if billable > 0 then redis.call('HINCRBY', base .. 'a', 'consumed', billable) end
  redis.call('ZREM', base .. 'live', id)
  redis.call('ZREM', base .. 'm:' .. session.model, id)
  journal(base, JOURNAL_KINDS[state], id, 0, -session.reserved, billable,
    string.format('%s audio_ms=%d model=%s', reason, audio, session.model))
  if session.idempotency and state ~= 'failed' and now < session.expires then
    -- The record stays until the credential expires. Until then, a repeated request with the same Idempotency-Key gets
    -- the same answer.
    redis.call('HDEL', key, 'h', 'no', 'ow', 'ep', 'cn', 'at')
    redis.call('PEXPIRE', key, session.expires - now)
  else
    redis.call('DEL', key)
  end
  return audio
end
