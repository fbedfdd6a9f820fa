#!lua
-- Makes a provisional session and takes its credit, or finds the one that the Idempotency-Key made before.
-- A provisional session vanishes with its lease unless it is confirmed.
-- KEYS  1 account
-- ARGV  1 session id  2 model  3 model exists 1|0  4 requested seconds  5 idempotency key or ''
--       6 attempt, id of the session secret and hash of the credential, as facts have them
--       7 credential lifetime ms  8 lease ms  9 latest time for which the reaper holds a mark, ms
-- returns 'created, reserved ms, remaining s, rate limit, rate remaining, rate ms until whole' of a new session, in a line
--         of words: to Redis one answer costs a fraction of six
--         { 'found', id, created, expires, reserved s, remaining s, secret id, provisional 1|0, rate limit, rate remaining, rate ms until whole }
--         { 'cancelled' | 'inactive' | 'unmarked' | 'conflict' | 'model_not_found' | 'scope' | 'credit' }
--         { 'rate' | 'concurrency', ms to wait, rate limit, rate remaining, rate ms until whole }
-- @include now_ms
-- @include gcra
local now = now_ms()
local base = string.sub(KEYS[1], 1, -2)
local id, model, exists, requested, idempotency, proof = ARGV[1], ARGV[2], ARGV[3], ARGV[4] + 0, ARGV[5], ARGV[6]
local lease, expires = ARGV[8], now + ARGV[7]
-- To turn numbers into text and back is what costs this script most, next to its commands: each is written out once, and
-- text is made a number by arithmetic.
local created = string.format('%d', now)
local key = base .. 's:' .. id
-- With its lease, and before its credential in any case: that tells it from a reserved one (state.lua).
local function provisional_due(expires_at) return string.format('%d', math.min(now + lease, expires_at - 1)) end

-- A cancel that came first wins: the answer to this request was given up.
local seen = redis.call('EXISTS', base .. 'x:' .. id, key) > 0
if seen and redis.call('EXISTS', base .. 'x:' .. id) == 1 then return { 'cancelled' } end
local function read_account()
  return redis.call('HMGET', KEYS[1], 'state', 'models', 'cc', 'spm', 'granted', 'reserved', 'consumed', 'rs')
end
local account = read_account()
if account[1] ~= 'Active' then return { 'inactive' } end
-- Without a mark nobody would look for this session when its time is over.
if expires - ARGV[9] > 0 then return { 'unmarked', now } end
local live = redis.call('ZCARD', base .. 'live')
if redis.call('ZCOUNT', base .. 'live', '-inf', created) > 0 then
  -- Here and further down, because Redis makes functions anew at each run and these are seldom needed.
  -- @include expire_overdue
  expire_overdue(base, now)
  account = read_account()
  -- What is overdue and was not ended just now does not count.
  live = redis.call('ZCOUNT', base .. 'live', '(' .. created, '+inf')
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
  -- One that the service failed is of no use to the caller: the key may be used anew.
  if fact and now < fact.expires and s[1] ~= 'failed' then
    if fact.model ~= model or fact.requested ~= requested then return { 'conflict' } end
    -- Whoever got hold of a session must let go of it before a cancel can take it back; past a few nobody can any more.
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
if not allowed then return { 'rate', retry, rate_limit, 0, whole } end
if live - account[3] >= 0 then
  local first = redis.call('ZRANGE', base .. 'live', 0, 0, 'WITHSCORES')
  local due = tonumber(first[2])
  return { 'concurrency', due < expires and due - now or 5000, rate_limit, remaining + 1, whole }
end
local available = account[5] - account[6] - account[7]
local seconds = math.min(requested, math.floor(available / 1000))
if seconds < 1 then return { 'credit' } end

-- Facts and journal are as facts.lua and journal.lua read and write them.
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
