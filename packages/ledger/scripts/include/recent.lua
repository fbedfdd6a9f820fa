-- @include session
-- Sessions that recent_sessions lists: the list `recent`, in order of confirmation, newest first. A session that has
-- not ended is listed by its id, and its hash has the rest. At its end the id is replaced by a line with everything,
-- because the hash is deleted.
local RECENT_SHOWN = 20
-- The list has at least this many of the latest sessions, and GET /v1/asr/sessions/ID finds them.
local RECENT_READABLE = 100
local RECENT_KEPT = 120
-- Time that the list is kept after the last session of the tenant was confirmed.
local RECENT_RETENTION_MS = 2592000000

-- Line of an ended session: id, state, created, completed, audio ms, billable ms, model, end reason, close code. The last
-- two are absent if `how` is nil.
local function ended_line(id, state, session, now, audio, billable, how)
  local line = string.format('%s %s %d %d %d %d %s', id, state, session.created, now, audio, billable, session.model)
  return how and line .. ' ' .. how or line
end

-- Returns the parts of the line of an ended session, or nil for the id of a session that has not ended.
local function read_ended(line)
  local id, state, created, completed, audio, billable, model, how =
    string.match(line, '^(%S+) (%S+) (%d+) (%d+) (%d+) (%d+) (%S+)(.*)$')
  if not id then return nil end
  local reason, code = string.match(how, '^ (%S+) (%d+)')
  return { id = id, state = state, created = tonumber(created), completed = tonumber(completed), audio = tonumber(audio),
    billable = tonumber(billable), model = model, reason = reason, code = tonumber(code) }
end

-- Deletes the hash of a session that an earlier version ended and kept. Returns its line, or nil if it is live.
local function compact_ended(base, id)
  local session = read_session(base, id)
  if not session or not session.completed then return nil end
  redis.call('DEL', base .. 's:' .. id)
  return ended_line(id, session.state, session, session.completed, session.audio, session.billable)
end

-- Returns the line of an ended session by its id, or nil.
local function find_recent(base, id)
  for _, line in ipairs(redis.call('LRANGE', base .. 'recent', 0, -1)) do
    local ended = string.find(line, id, 1, true) == 1 and read_ended(line)
    if ended then return ended end
  end
end

-- Trims only after RECENT_KEPT - RECENT_READABLE additions, because most additions then need no further command.
local function add_recent(base, id)
  local length = redis.call('LPUSH', base .. 'recent', id)
  redis.call('PEXPIRE', base .. 'recent', RECENT_RETENTION_MS)
  if length < RECENT_KEPT then return end
  for _, line in ipairs(redis.call('LRANGE', base .. 'recent', RECENT_READABLE, -1)) do
    if not string.find(line, ' ', 1, true) then compact_ended(base, line) end
  end
  redis.call('LTRIM', base .. 'recent', 0, RECENT_READABLE - 1)
end

-- Replaces the id of a session by the line of its end. Does nothing if the list no longer has the session.
local function end_recent(base, id, line)
  local at = redis.call('LPOS', base .. 'recent', id)
  if at then redis.call('LSET', base .. 'recent', at, line) end
end

-- Converts sessions that an earlier version ended, which left their ids in the list.
local function compact_recent(base)
  redis.call('PEXPIRE', base .. 'recent', RECENT_RETENTION_MS, 'NX')
  for at, id in ipairs(redis.call('LRANGE', base .. 'recent', 0, -1)) do
    local line = not string.find(id, ' ', 1, true) and compact_ended(base, id)
    if line then redis.call('LSET', base .. 'recent', at - 1, line) end
  end
end
