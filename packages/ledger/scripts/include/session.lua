-- Reads the hash of a session (docs/redis.md). Returns a table with a name for each field, or nil if there is no
-- record. Absent fields are nil or false, except `refused`, `owner` and `epoch`, which are then ''.
local function read_session(base, id)
  local f = redis.call('HMGET', base .. 's:' .. id, 'model', 'created', 'expires', 'requested', 'reserved', 'remaining',
    'attempt', 'secret', 'credential', 'idk', 'st', 'h', 'no', 'ow', 'ep', 'cn', 'au', 'bi', 'co', 'cx', 'd', 'ch',
    'by')
  local session = {
    model = f[1], created = tonumber(f[2]), expires = tonumber(f[3]), requested = tonumber(f[4]),
    reserved = tonumber(f[5]), remaining = tonumber(f[6]), attempt = f[7], secret = f[8], credential = f[9],
    idempotency = f[10] or nil, state = f[11] or nil, holders = f[12] or nil, refused = f[13] or '',
    owner = f[14] or '', epoch = f[15] or '', connection = f[16] or nil,
    audio = tonumber(f[17]), billable = tonumber(f[18]), completed = tonumber(f[19]),
    cancelled = f[20] or nil, chain = f[22] or nil, by = f[23] or nil,
  }
  if session.model then return session end
  if not f[21] then return nil end
  -- Version 1 of the schema stored the first nine fields in the field `d`, in the order in which they are read below.
  local v = {}
  for word in string.gmatch(f[21], '%S+') do v[#v + 1] = word end
  session.expires, session.created, session.reserved = tonumber(v[1]), tonumber(v[2]), tonumber(v[3])
  session.remaining, session.requested, session.model = tonumber(v[4]), tonumber(v[5]), v[6]
  session.attempt, session.secret, session.credential = v[7], v[8], v[9]
  return session
end
