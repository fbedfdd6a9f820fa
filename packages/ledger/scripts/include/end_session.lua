-- @include billing
-- @include facts
-- @include retain
-- @include journal
-- Changes a session to a terminal state: releases the reservation, charges `billable` and keeps the record.
-- Returns the audio ms, or nil if the session had ended before.
local function end_session(base, id, state, now, samples, billable, reason)
  local key = base .. 's:' .. id
  -- A terminal state never changes.
  if redis.call('HEXISTS', key, 'co') == 1 then
    redis.call('ZREM', base .. 'live', id)
    return
  end
  local reserved = read_facts(redis.call('HGET', key, 'd')).reserved
  local audio = audio_ms(samples)
  -- Written before any credit moves: if Redis refuses a command further down, a repeat must not charge again.
  redis.call('HSET', key, 'st', state, 'au', audio, 'bi', billable, 'co', now)
  redis.call('HINCRBY', base .. 'a', 'reserved', -reserved)
  if billable > 0 then redis.call('HINCRBY', base .. 'a', 'consumed', billable) end
  redis.call('HDEL', key, 'h')
  redis.call('ZREM', base .. 'live', id)
  retain_ended(base, id)
  journal(base, state == 'completed' and 'settle' or (state == 'failed' and 'fail' or 'expire'), id, 0, -reserved, billable,
    reason .. ' audio_ms=' .. audio)
  return audio
end
