-- @include session
-- List `recent` of the latest sessions, newest first. GET /v1/usage returns the first RECENT_SHOWN of them as
-- `recent_sessions`. A session is added when it is confirmed, and a later session of a chain when it is created. A live
-- session is listed by its id, and the other fields are in its hash. When the session ends, a line with all fields
-- replaces the id.
local RECENT_SHOWN = 20
-- Minimum number of the latest sessions that the list keeps. GET /v1/asr/sessions/ID finds them.
local RECENT_READABLE = 100
local RECENT_KEPT = 120
-- Time for which the list is kept after a session of the tenant was last added.
local RECENT_RETENTION_MS = 2592000000

-- Returns the line of an ended session: id, state, created, completed, audio ms, billable ms, model, end reason, close
-- code, and '|RESERVED|BY' with the reserved seconds and the field `by`. End reason and close code are absent if `how`
-- is nil, and BY is absent if the session has none.
local function ended_line(id, state, session, now, audio, billable, how)
  local line = string.format('%s %s %d %d %d %d %s', id, state, session.created, now, audio, billable, session.model)
  local by = session.by and '|' .. session.by or ''
  return string.format('%s%s |%d%s', line, how and ' ' .. how or '', math.floor(session.reserved / 1000), by)
end

-- Parses the line of an ended session. Returns nil if the line is only the id of a live session.
local function read_ended(line)
  local id, state, created, completed, audio, billable, model, how =
    string.match(line, '^(%S+) (%S+) (%d+) (%d+) (%d+) (%d+) (%S+)(.*)$')
  if not id then return nil end
  local reason, code = string.match(how, '^ (%S+) (%d+)')
  return { id = id, state = state, created = tonumber(created), completed = tonumber(completed), audio = tonumber(audio),
    billable = tonumber(billable), model = model, reason = reason, code = tonumber(code) }
end

-- Deletes the hash of a session that an earlier version ended but did not delete. Returns its line, or nil if the
-- session is live or has no hash.
local function compact_ended(base, id)
  local session = read_session(base, id)
  if not session or not session.completed then return nil end
  redis.call('DEL', base .. 's:' .. id)
  return ended_line(id, session.state, session, session.completed, session.audio, session.billable)
end

-- Returns the parsed line of an ended session by its id, or nil.
local function find_recent(base, id)
  for _, line in ipairs(redis.call('LRANGE', base .. 'recent', 0, -1)) do
    local ended = string.find(line, id, 1, true) == 1 and read_ended(line)
    if ended then return ended end
  end
end

-- Adds a session. Trims the list only once per RECENT_KEPT - RECENT_READABLE additions, so that one trim reads and
-- removes many entries together.
local function add_recent(base, id)
  local length = redis.call('LPUSH', base .. 'recent', id)
  redis.call('PEXPIRE', base .. 'recent', RECENT_RETENTION_MS)
  if length < RECENT_KEPT then return end
  for _, line in ipairs(redis.call('LRANGE', base .. 'recent', RECENT_READABLE, -1)) do
    if not string.find(line, ' ', 1, true) then compact_ended(base, line) end
  end
  redis.call('LTRIM', base .. 'recent', 0, RECENT_READABLE - 1)
end

-- Replaces the id of a session by `line` (see ended_line). Does nothing if the list no longer has the session.
local function end_recent(base, id, line)
  local at = redis.call('LPOS', base .. 'recent', id)
  if at then redis.call('LSET', base .. 'recent', at, line) end
end

-- Replaces the ids of ended sessions by their lines (see ended_line). An earlier version left the id in the list when a
-- session ended.
local function compact_recent(base)
  redis.call('PEXPIRE', base .. 'recent', RECENT_RETENTION_MS, 'NX')
  for at, id in ipairs(redis.call('LRANGE', base .. 'recent', 0, -1)) do
    local line = not string.find(id, ' ', 1, true) and compact_ended(base, id)
    if line then redis.call('LSET', base .. 'recent', at - 1, line) end
  end
end
