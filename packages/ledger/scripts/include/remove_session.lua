-- @include session
-- @include idempotency
-- @include gcra
-- @include journal
-- Rolls a reservation back, for example because its request was refused or never answered. Afterwards, only the journal
-- contains the reservation.
local function remove_session(base, id, reason)
  local key = base .. 's:' .. id
  local session = read_session(base, id)
  limit_journal(base)
  release_idempotency(base, id, session)
  -- A session that is rolled back does not count against the session rate, so it is subtracted.
  local account = redis.call('HMGET', base .. 'a', 'reserved', 'rs', 'spm')
  redis.call('HSET', base .. 'a', 'reserved', account[1] - session.reserved, 'rs', gcra_text(account[2] - GCRA_WINDOW_MS / account[3]))
  redis.call('ZREM', base .. 'live', id)
  redis.call('ZREM', base .. 'm:' .. session.model, id)
  redis.call('LREM', base .. 'recent', 1, id)
  redis.call('DEL', key)
  journal(base, 'cancel', id, 0, -session.reserved, 0, reason)
end
