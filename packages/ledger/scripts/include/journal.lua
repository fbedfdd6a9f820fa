-- Journal of a tenant: the stream `j`. Entries that left the stream are summed up in the field `jb` of the account as
-- 'ID GRANTED RESERVED CONSUMED': the id of the last one and the totals after it. These totals and the entries of the
-- stream add up to the account at any time.
local JOURNAL_ENTRIES_RETAINED = 2000
-- The same limit while an exporter acknowledges entries (field `jx`). Beyond it, entries leave although they were not
-- exported. It also applies while the account has the field `jn` of an earlier version, which kept up to 10,000 entries.
-- The operator removes that field when it first trims the journal, after an export if one is configured.
local JOURNAL_BACKLOG_ENTRIES = 20000
local FOLD_AT_ONCE = 100

-- Appends one entry, a line of text: kind, subject, changes of granted, reserved and consumed, detail.
local function journal(base, kind, subject, granted, reserved, consumed, detail)
  local line = string.format('%s %s %d %d %d %s', kind, subject, granted, reserved, consumed, detail)
  redis.call('XADD', base .. 'j', '*', 'e', line)
end

-- Moves up to `count` of the oldest entries, none later than the id `last`, from the stream to `jb`. Returns how many.
local function fold_journal(base, last, count)
  local entries = redis.call('XRANGE', base .. 'j', '-', last, 'COUNT', count)
  if #entries == 0 then return 0 end
  local folded = redis.call('HGET', base .. 'a', 'jb') or '0-0 0 0 0'
  local total = { string.match(folded, '^%S+ (%S+) (%S+) (%S+)$') }
  for _, entry in ipairs(entries) do
    local kind, granted, reserved, consumed = string.match(entry[2][2], '^(%S+) %S* (%S+) (%S+) (%S+)')
    -- Earlier versions wrote the totals into the stream at intervals.
    if kind == 'checkpoint' then total = { 0, 0, 0 } end
    total = { total[1] + granted, total[2] + reserved, total[3] + consumed }
  end
  local id = entries[#entries][1]
  redis.call('HSET', base .. 'a', 'jb', string.format('%s %d %d %d', id, total[1], total[2], total[3]))
  local ms, count_in_ms = string.match(id, '^(%d+)-(%d+)$')
  redis.call('XTRIM', base .. 'j', 'MINID', '=', string.format('%s-%d', ms, count_in_ms + 1))
  return #entries
end

-- Keeps the length of the journal within its limit. Called before the first write of a script: a Redis user without the
-- right to read the journal is then refused before anything has changed.
local function limit_journal(base)
  local length = redis.call('XLEN', base .. 'j')
  if length < JOURNAL_ENTRIES_RETAINED + FOLD_AT_ONCE then return end
  local marks = redis.call('HMGET', base .. 'a', 'jx', 'jn')
  local limit = (marks[1] or marks[2]) and JOURNAL_BACKLOG_ENTRIES or JOURNAL_ENTRIES_RETAINED
  if length >= limit + FOLD_AT_ONCE then fold_journal(base, '+', FOLD_AT_ONCE) end
end
