#!lua
-- Creates a provisional session and reserves its credit, or returns the session that the same Idempotency-Key created.
-- A provisional session is removed when its lease expires, unless it is confirmed before.
-- KEYS  1 account
-- ARGV  1 session id  2 model  3 model exists 1|0  4 requested seconds  5 idempotency key or ''
--       6 'attempt session-secret-id credential-hash', in the order of include/facts.lua
--       7 credential lifetime ms  8 lease ms  9 latest time that the reaper's marks for this tenant cover, ms
-- returns new session: the string 'created reserved-ms remaining-s rate-limit rate-remaining rate-reset-ms'
--           (one string costs Redis a fraction of six values)
--         existing session: { 'found', id, created, expires, reserved s, remaining s, secret id, provisional 1|0,
--           rate limit, rate remaining, rate reset ms }
--         refused: { 'cancelled' | 'inactive' | 'conflict' | 'model_not_found' | 'scope' | 'credit' }
--           or { 'rate' | 'concurrency', ms to wait, rate limit, rate remaining, rate reset ms }
--         { 'unmarked', now }: no mark is near the expiry of the session; mark it and call again
--         Times are in ms since the epoch, by the clock of Redis. 'rate reset': until the full rate is available again.
-- @include now_ms
-- @include gcra
local MARK_TOLERANCE_MS = 60000
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local id, model, exists, requested, idempotency, proof = ARGV[1], ARGV[2], ARGV[3], ARGV[4] + 0, ARGV[5], ARGV[6]
local lease, expires = ARGV[8], now + ARGV[7]
-- After the Redis commands, conversion between numbers and strings is the largest cost of this script. Each number is
-- therefore formatted once, and strings become numbers through arithmetic.
local created = string.format('%d', now)
local key = base .. 's:' .. id
-- A provisional session is due when its lease expires, and always before its credential does. include/state.lua relies
-- on that to distinguish it from a reserved session.
local function provisional_due(expires_at) return string.format('%d', math.min(now + lease, expires_at - 1)) end

-- A cancel for this session id that arrived first left a tombstone. It wins, because its caller no longer waits.
local seen = redis.call('EXISTS', base .. 'x:' .. id, key) > 0
if seen and redis.call('EXISTS', base .. 'x:' .. id) == 1 then return { 'cancelled' } end
local function read_account()
  return redis.call('HMGET', KEYS[1], 'state', 'models', 'cc', 'spm', 'granted', 'reserved', 'consumed', 'rs')
end
local account = read_account()
if account[1] ~= 'Active' then return { 'inactive' } end
-- Without a mark that covers its expiry, the reaper would not find this session when it is overdue. If the mark is much
-- later, the caller's estimate of the clock is wrong, for example because the clock stepped back.
if expires > ARGV[9] + 0 or ARGV[9] - expires > MARK_TOLERANCE_MS then return { 'unmarked', now } end
local live = redis.call('ZCARD', base .. 'live')
if redis.call('ZCOUNT', base .. 'live', '-inf', created) > 0 then
  -- Included here and further down, not at the top: each run recreates the functions, and these are rarely needed.
  -- @include expire_overdue
  local _, active = expire_overdue(base, now)
  account = read_account()
  -- One call ends a limited number of overdue sessions. Those that are left do not count as live, unless they are
  -- active.
  live = redis.call('ZCOUNT', base .. 'live', '(' .. created, '+inf') + #active
end

local rate_limit = account[4]
local allowed, arrival, remaining, whole, retry = gcra(account[8], rate_limit, now)

local known = seen and id
if not known and idempotency ~= '' then known = redis.call('GET', base .. 'idem:' .. idempotency) end
if known then
  -- @include facts
  -- @include state
  local known_key = base .. 's:' .. known
  local s = redis.call('HMGET', known_key, 'st', 'd', 'h')
  local fact = s[2] and read_facts(s[2])
  -- A session that the service failed is of no use to the caller, so its Idempotency-Key may create a new one.
  if fact and now < fact.expires and s[1] ~= 'failed' then
    if fact.model ~= model or fact.requested ~= requested then return { 'conflict' } end
    -- Records this attempt as a holder: cancel.lua removes a session only after each holder has cancelled. Past 400
    -- characters the list becomes '*', and no holder can cancel the session any more.
    local holders, attempt = s[3] or fact.attempt, string.match(proof, '%S+')
    if holders ~= '*' and not string.find(holders, attempt, 1, true) then
      redis.call('HSET', known_key, 'h', #holders < 400 and holders .. ' ' .. attempt or '*')
    end
    local provisional = state_of(base, known, s[1], fact.expires) == 'provisional'
    if provisional then redis.call('ZADD', base .. 'live', provisional_due(fact.expires), known) end
    return { 'found', known, fact.created, fact.expires, fact.reserved / 1000, fact.remaining, fact.secret, provisional and 1 or 0,
      rate_limit, allowed and remaining + 1 or 0, whole }
  end
end

if exists ~= '1' then return { 'model_not_found' } end
if not string.find(account[2], ' * ', 1, true) and not string.find(account[2], ' ' .. model .. ' ', 1, true) then return { 'scope' } end
if not allowed then
  if arrival then
    -- The clock has stepped back.
    -- @include shorten_deadlines
    shorten_deadlines(base, now)
    redis.call('HSET', KEYS[1], 'rs', gcra_text(arrival))
  end
  return { 'rate', retry, rate_limit, 0, whole }
end
if live - account[3] >= 0 then
  local first = redis.call('ZRANGE', base .. 'live', 0, 0, 'WITHSCORES')
  local due = tonumber(first[2])
  return { 'concurrency', due > now and due < expires and due - now or 5000, rate_limit, remaining + 1, whole }
end
local available = account[5] - account[6] - account[7]
local seconds = math.min(requested, math.floor(available / 1000))
if seconds < 1 then return { 'credit' } end

-- The formats must match include/facts.lua, which reads the facts, and include/journal.lua, which writes other entries.
local milliseconds = string.format('%d', seconds * 1000)
local left = string.format('%d', math.floor(available / 1000) - seconds)
redis.call('HSET', KEYS[1], 'reserved', string.format('%d', account[6] + milliseconds), 'rs', gcra_text(arrival))
redis.call('ZADD', base .. 'live', provisional_due(expires), id)
local facts = string.format('%d %s %s %s %s %s %s', expires, created, milliseconds, left, ARGV[4], model, proof)
if idempotency == '' then
  redis.call('HSET', key, 'd', facts)
else
  redis.call('HSET', key, 'd', facts, 'idk', idempotency)
  redis.call('SET', base .. 'idem:' .. idempotency, id, 'PXAT', expires)
end
redis.call('XADD', base .. 'j', '*', 'e', 'reserve ' .. id .. ' 0 ' .. milliseconds .. ' 0 ' .. model)
return string.format('%s %s %s %s %d %d', created, milliseconds, left, rate_limit, remaining, whole)
