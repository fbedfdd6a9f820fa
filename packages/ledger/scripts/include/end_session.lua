-- @include billing
-- @include facts
-- @include recent
-- @include journal
local JOURNAL_KINDS = { completed = 'settle', failed = 'fail', expired = 'expire' }

-- Changes a session to a terminal state: releases the reservation, charges `billable`, and moves the record from its
-- hash to `recent` and to the journal. Returns the audio ms, or nil if the session had ended before.
local function end_session(base, id, state, now, samples, billable, reason)
  local key = base .. 's:' .. id
  local s = redis.call('HMGET', key, 'd', 'co', 'idk')
  -- A terminal state never changes.
  if not s[1] or s[2] then
    redis.call('ZREM', base .. 'live', id)
    return
  end
  local fact = read_facts(s[1])
  local audio = audio_ms(samples)
  limit_journal(base)
  end_recent(base, id, ended_line(id, state, fact, now, audio, billable))
  -- Written before any credit moves: if Redis refuses a command further down, a repeat must not charge again.
  redis.call('HSET', key, 'st', state, 'au', audio, 'bi', billable, 'co', now)
  redis.call('HINCRBY', base .. 'a', 'reserved', -fact.reserved)
  if billable > 0 then redis.call('HINCRBY', base .. 'a', 'consumed', billable) end
  redis.call('ZREM', base .. 'live', id)
  journal(base, JOURNAL_KINDS[state], id, 0, -fact.reserved, billable,
    string.format('%s audio_ms=%d model=%s', reason, audio, fact.model))
  if s[3] and state ~= 'failed' and now < fact.expires then
    -- A repeat of the request with the same Idempotency-Key gets the same answer until the credential expires.
    redis.call('HDEL', key, 'h', 'no', 'ow', 'ep', 'cn', 'at')
    redis.call('PEXPIRE', key, fact.expires - now)
  else
    redis.call('DEL', key)
  end
  return audio
end
