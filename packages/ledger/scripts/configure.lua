#!lua flags=allow-oom
-- Creates or changes an account: state, allowed models, limits, budget and priority. A closed account resumes with its
-- balance and grants.
-- KEYS  1 account
-- ARGV  1 state  2 models, as ' a b '  3 concurrent sessions  4 sessions a minute  5 requests a minute  6 display name
--       7 uid of the Tenant  8 generation of the Tenant; both are empty to write without a check of the version
--       9 budget in ms per month, or '' without one
--       10 priority: high, low, or '' for normal
--       11 model  12 limit of concurrent sessions of that model, … further pairs for other models with a limit
-- returns 'ok' | 'stale' if a newer generation of the same Tenant, or its deletion, was applied before
-- @include now_ms
-- @include recent
-- @include daily_usage
-- @include budget
-- @include session
local base = string.sub(KEYS[1], 1, -2)
local uid, generation, budget, priority = ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local seen = redis.call('HMGET', KEYS[1], 'uid', 'gen', 'state', 'ba')
if uid ~= '' and seen[1] == uid then
  -- An operator process that is no longer the leader may write late, with an old generation.
  if seen[3] == 'Deleted' or tonumber(generation) < tonumber(seen[2]) then return 'stale' end
end
for _, field in ipairs({ 'granted', 'reserved', 'consumed' }) do redis.call('HSETNX', KEYS[1], field, 0) end
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'models', ARGV[2], 'cc', ARGV[3], 'spm', ARGV[4], 'rpm', ARGV[5], 'name', ARGV[6])
-- Normal priority is stored as an absent field. This saves memory, because most accounts have normal priority.
if priority == '' then redis.call('HDEL', KEYS[1], 'prio') else redis.call('HSET', KEYS[1], 'prio', priority) end
if uid ~= '' then redis.call('HSET', KEYS[1], 'uid', uid, 'gen', generation)
else redis.call('HDEL', KEYS[1], 'uid', 'gen') end
-- An account that once had a budget keeps the budget fields. Otherwise a budget that is removed and added again would
-- be granted twice in one month.
if budget ~= '' or seen[4] then redis.call('HSET', KEYS[1], 'ba', tonumber(budget) or 0) end
local limits, added = {}, {}
for i = 11, #ARGV, 2 do limits[ARGV[i]] = ARGV[i + 1] end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local model = string.match(field, '^cc:(.+)$')
  if model and not limits[model] then redis.call('HDEL', KEYS[1], field) end
end
for model, limit in pairs(limits) do
  if redis.call('HSET', KEYS[1], 'cc:' .. model, limit) == 1 then added[model] = true end
end
if next(added) then
  -- @include model_sessions
  -- Sessions that were reserved before the model had a limit are not in its set of live sessions yet.
  for _, id in ipairs(redis.call('ZRANGE', base .. 'live', 0, -1)) do
    local session = read_session(base, id)
    if session and added[session.model] then add_model_session(base, id, session, now_ms()) end
  end
end
for _, part in ipairs({ 'a', 'g', 'j' }) do redis.call('PERSIST', base .. part) end
if seen[3] == 'Deleted' then
  redis.call('PEXPIRE', base .. 'recent', RECENT_RETENTION_MS)
  expire_usage(base, now_ms(), USAGE_LIFETIME_MS, 'GT')
end
compact_recent(base)
renew_budget(base, now_ms())
return 'ok'
