-- @include billing
-- @include session
-- @include recent
-- @include journal
local JOURNAL_KINDS = { completed = 'settle', failed = 'fail', expired = 'expire' }

-- Changes a session to a terminal state: releases the reservation, charges `billable`, and moves the record from its
-- hash to `recent` and to the journal. `how` is its end reason and close code, such as 'idle_timeout 4408', or nil.
-- Returns the audio ms, or nil if the session had ended before.
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
  -- Written before any credit moves: if Redis refuses a command further down, a repeat must not charge again.
  redis.call('HSET', key, 'st', state, 'au', audio, 'bi', billable, 'co', now)
  if billable > 0 and redis.call('HGET', base .. 'a', 'ba') then
    -- @include budget
    -- The charge belongs to the month in which the session ends, as in the daily usage.
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
    -- A repeat of the request with the same Idempotency-Key gets the same answer until the credential expires.
    redis.call('HDEL', key, 'h', 'no', 'ow', 'ep', 'cn', 'at')
    redis.call('PEXPIRE', key, session.expires - now)
  else
    redis.call('DEL', key)
  end
  return audio
end
