#!lua
-- Creates a provisional session and reserves its credit, or returns the session that the same Idempotency-Key created.
-- A provisional session is removed when its lease expires, unless it is confirmed before.
-- KEYS  1 account
-- ARGV  1 session id  2 model  3 model exists 1|0  4 requested seconds  5 idempotency key or ''
--       6 attempt  7 session secret id  8 credential hash
--       9 credential lifetime ms  10 lease ms  11 latest time that the reaper's marks for this tenant cover, ms
--       12 API key and request that create the session, as in the field `by`, or ''
-- returns { 'created' | 'found', id, created, expires, reserved ms, remaining s, secret id, provisional 1|0,
--           rate limit, rate remaining, rate reset ms }
--         refused: { 'cancelled' | 'inactive' | 'conflict' | 'model_not_found' | 'scope' }
--           or { 'credit', month whose budget is used up, as YYYY-MM, or '' without a budget }
--           or { 'rate', ms to wait, rate limit, rate remaining, rate reset ms }
--           or { 'concurrency', ms to wait, rate limit, rate remaining, rate reset ms, limit, live sessions }
--           or { 'model_concurrency', ms to wait, rate limit, rate remaining, rate reset ms, limit of the model,
--             live sessions of the model }
--         { 'unmarked', now }: no mark is near the expiry of the session; mark it and call again
--         Times are in ms since the epoch, by the clock of Redis. 'rate reset': until the full rate is available again.
-- @include now_ms
-- @include session
-- @include gcra
-- @include journal
local MARK_TOLERANCE_MS = 60000
-- Retry time of a refusal if it is unknown when a live session ends.
local RETRY_MS = 5000
-- If the text with the list of holders has at least this length, it is replaced by '*'.
local HOLDERS_MAX_CHARACTERS = 400
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local id, model, idempotency = ARGV[1], ARGV[2], ARGV[5]
local model_exists, requested = ARGV[3] == '1', tonumber(ARGV[4])
local attempt, secret, credential = ARGV[6], ARGV[7], ARGV[8]
local lifetime, lease, marked = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local expires = now + lifetime
local key = base .. 's:' .. id

-- A provisional session is due when its lease expires, and always before its credential expires. include/state.lua
-- relies on that to distinguish it from a reserved session.
local function provisional_due(expires_at) return math.min(now + lease, expires_at - 1) end

local function read_account()
  local a = redis.call('HMGET', KEYS[1], 'state', 'models', 'cc', 'spm', 'granted', 'reserved', 'consumed', 'rs', 'ba',
    'cc:' .. model)
  return { state = a[1], models = a[2], concurrency_limit = tonumber(a[3]), rate_limit = tonumber(a[4]),
    reserved = tonumber(a[6]), available = a[1] and a[5] - a[6] - a[7], arrival = a[8],
    has_budget = a[9], model_limit = tonumber(a[10]) }
end

-- A cancel for this session id has arrived first and has written a tombstone. The cancel wins, because its caller no
-- longer waits.
if redis.call('EXISTS', base .. 'x:' .. id) == 1 then return { 'cancelled' } end
local account = read_account()
if account.state ~= 'Active' then return { 'inactive' } end
-- The reaper checks a tenant at the times of its marks (src/due.ts). Without a mark at or after the expiry of this
-- session, the reaper would not find the session when it is overdue. If the mark is much later than the expiry, the
-- caller's estimate of the clock is wrong, for example because the clock stepped back.
if marked < expires or marked > expires + MARK_TOLERANCE_MS then return { 'unmarked', now } end

local live = redis.call('ZCARD', base .. 'live')
if redis.call('ZCOUNT', base .. 'live', '-inf', now) > 0 then
  -- Each run of the script creates the functions that it includes. Functions that are rarely needed are therefore
  -- included only where they are called.
  -- @include expire_overdue
  local _, active = expire_overdue(base, now)
  account = read_account()
  -- One call ends a limited number of overdue sessions. The overdue active sessions that it has found count as live.
  -- All other overdue sessions do not.
  live = redis.call('ZCOUNT', base .. 'live', '(' .. now, '+inf') + #active
end

local budget
if account.has_budget then
  -- @include budget
  budget = renew_budget(base, now)
  account = read_account()
end

local allowed, arrival, remaining, whole, retry = gcra(account.arrival, account.rate_limit, now)

local known = redis.call('EXISTS', key) == 1 and id
if not known and idempotency ~= '' then known = redis.call('GET', base .. 'idem:' .. idempotency) end
if known then
  -- @include state
  local known_key = base .. 's:' .. known
  local session = read_session(base, known)
  -- A session that failed because of the service is of no use to the caller. A request with its Idempotency-Key can
  -- therefore create a new session.
  if session and now < session.expires and session.state ~= 'failed' then
    if session.model ~= model or session.requested ~= requested then return { 'conflict' } end
    -- Records this attempt as a holder. cancel.lua removes a session only after each holder has cancelled, unless its
    -- caller ignores other holders. If the list is too long, it becomes '*', as if one holder never cancelled.
    local holders = session.holders or session.attempt
    if holders ~= '*' and not string.find(holders, attempt, 1, true) then
      redis.call('HSET', known_key, 'h', #holders < HOLDERS_MAX_CHARACTERS and holders .. ' ' .. attempt or '*')
    end
    local provisional = state_of(base, known, session) == 'provisional'
    if provisional then redis.call('ZADD', base .. 'live', provisional_due(session.expires), known) end
    return { 'found', known, session.created, session.expires, session.reserved, session.remaining, session.secret,
      provisional and 1 or 0, account.rate_limit, allowed and remaining + 1 or 0, whole }
  end
end

local function may_use(name) return string.find(account.models, ' ' .. name .. ' ', 1, true) end
if not model_exists then return { 'model_not_found' } end
if not may_use('*') and not may_use(model) then return { 'scope' } end
if not allowed then
  if arrival then
    -- For a refused request, `arrival` is set only if the clock of Redis has stepped back.
    -- @include shorten_deadlines
    shorten_deadlines(base, now)
    redis.call('HSET', KEYS[1], 'rs', gcra_text(arrival))
  end
  return { 'rate', retry, account.rate_limit, 0, whole }
end
if live >= account.concurrency_limit then
  local first = redis.call('ZRANGE', base .. 'live', 0, 0, 'WITHSCORES')
  local due = tonumber(first[2])
  return { 'concurrency', due > now and due < expires and due - now or RETRY_MS, account.rate_limit, remaining + 1, whole,
    account.concurrency_limit, live }
end
if account.model_limit then
  -- @include model_sessions
  local count = count_model_sessions(base, model, account.model_limit, now)
  if count >= account.model_limit then
    return { 'model_concurrency', RETRY_MS, account.rate_limit, remaining + 1, whole, account.model_limit, count }
  end
end
local available_s = math.floor(account.available / 1000)
local reserved_s = math.min(requested, available_s)
if reserved_s < 1 then return { 'credit', budget and budget.amount > 0 and budget.month or '' } end

local reserved, remaining_s = reserved_s * 1000, available_s - reserved_s
redis.call('HSET', KEYS[1], 'reserved', account.reserved + reserved, 'rs', gcra_text(arrival))
redis.call('ZADD', base .. 'live', provisional_due(expires), id)
if account.model_limit then
  -- @include model_sessions
  add_model_session(base, id, { model = model, created = now, expires = expires, reserved = reserved }, now)
end
redis.call('HSET', key, 'model', model, 'created', now, 'expires', expires, 'requested', requested, 'reserved', reserved,
  'remaining', remaining_s, 'attempt', attempt, 'secret', secret, 'credential', credential)
if ARGV[12] ~= '' then redis.call('HSET', key, 'by', ARGV[12]) end
if idempotency ~= '' then
  redis.call('HSET', key, 'idk', idempotency)
  redis.call('SET', base .. 'idem:' .. idempotency, id, 'PXAT', expires)
end
journal(base, 'reserve', id, 0, reserved, 0, model)
return { 'created', id, now, expires, reserved, remaining_s, secret, 1,
  account.rate_limit, remaining, whole }
