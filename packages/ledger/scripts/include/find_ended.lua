-- @include recent
local ENDED_STATES = { settle = 'completed', fail = 'failed', expire = 'expired' }
local FIND_PAGE = 500
local FIND_PAGES = 10

-- Returns the end of a session whose hash was deleted, as { state, audio ms, billable ms, model } or nil. Searches
-- `recent`, and then the last entries of the journal. The search may read many entries. It is necessary only if
-- settle.lua or fail.lua is called for a session without a record, for example because the session has ended before.
local function find_ended(base, id)
  local ended = find_recent(base, id)
  if ended then return { ended.state, ended.audio, ended.billable, ended.model } end
  local last = '+'
  for _ = 1, FIND_PAGES do
    local page = redis.call('XREVRANGE', base .. 'j', last, '-', 'COUNT', FIND_PAGE)
    for _, entry in ipairs(page) do
      local kind, subject, billable, detail = string.match(entry[2][2], '^(%S+) (%S+) %S+ %S+ (%S+) (.*)$')
      if subject == id and ENDED_STATES[kind] then
        local audio, model = string.match(detail, ' audio_ms=(%d+) model=(%S+)$')
        return model and { ENDED_STATES[kind], tonumber(audio), tonumber(billable), model }
      end
    end
    if #page < FIND_PAGE then return nil end
    last = '(' .. page[#page][1]
  end
end
