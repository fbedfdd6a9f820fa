-- Journal of a tenant: the Redis stream `j`. Entries that were removed from the stream are summed up in the field `jb`
-- of the account. Its format is 'ID GRANTED RESERVED CONSUMED': the id of the last removed entry and the totals after
-- it. These totals plus the entries of the stream always equal the account.
local JOURNAL_ENTRIES_RETAINED = 2000
-- Limit that replaces JOURNAL_ENTRIES_RETAINED while an exporter acknowledges entries (field `jx` of the account).
-- Beyond it, entries are removed even if they were not exported. This limit also applies while the account has the
-- field `jn` of an earlier version, which kept up to 10,000 entries. The operator removes that field when it first
-- trims the journal, after an export if one is configured.
local JOURNAL_BACKLOG_ENTRIES = 20000
local FOLD_AT_ONCE = 100

-- Appends one entry. It is a line of text with kind, subject, changes of granted, reserved and consumed, and detail.
local function journal(base, kind, subject, granted, reserved, consumed, detail)
  local line = string.format('%s %s %d %d %d %s', kind, subject, granted, reserved, consumed, detail)
  redis.call('XADD', base .. 'j', '*', 'e', line)
end

-- Moves up to `count` of the oldest entries, up to and including the id `last`, from the stream to `jb`. Returns the
-- number of entries that were moved.
local function fold_journal(base, last, count)
  local entries = redis.call('XRANGE', base .. 'j', '-', last, 'COUNT', count)
  if #entries == 0 then return 0 end
  local folded = redis.call('HGET', base .. 'a', 'jb') or '0-0 0 0 0'
  local total = { string.match(folded, '^%S+ (%S+) (%S+) (%S+)$') }
  for _, entry in ipairs(entries) do
    local kind, granted, reserved, consumed = string.match(entry[2][2], '^(%S+) %S* (%S+) (%S+) (%S+)')
    -- A `checkpoint` entry has totals, which replace the sums so far. Only earlier versions wrote such entries.
    if kind == 'checkpoint' then total = { 0, 0, 0 } end
    total = { total[1] + granted, total[2] + reserved, total[3] + consumed }
  end
  local id = entries[#entries][1]
  redis.call('HSET', base .. 'a', 'jb', string.format('%s %d %d %d', id, total[1], total[2], total[3]))
  local ms, count_in_ms = string.match(id, '^(%d+)-(%d+)$')
  redis.call('XTRIM', base .. 'j', 'MINID', '=', string.format('%s-%d', ms, count_in_ms + 1))
  return #entries
end

-- Keeps the journal within its length limit. Callers call it before they change credit. A Redis user that may not read
-- the journal is then refused before any credit has changed.
local function limit_journal(base)
  local length = redis.call('XLEN', base .. 'j')
  if length < JOURNAL_ENTRIES_RETAINED + FOLD_AT_ONCE then return end
  local marks = redis.call('HMGET', base .. 'a', 'jx', 'jn')
  local limit = (marks[1] or marks[2]) and JOURNAL_BACKLOG_ENTRIES or JOURNAL_ENTRIES_RETAINED
  if length >= limit + FOLD_AT_ONCE then fold_journal(base, '+', FOLD_AT_ONCE) end
end
