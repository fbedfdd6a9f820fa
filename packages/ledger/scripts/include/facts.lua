-- Facts that never change after a session was created, in the one field `d` (one field costs Redis a fraction of nine).
-- reserve.lua writes them: expires, created, reserved ms, remaining s, requested s, model, attempt that created it,
-- session secret id, credential hash.
local function write_facts(fact)
  return string.format('%d %d %d %d %d %s %s %s %s', fact.expires, fact.created, fact.reserved, fact.remaining,
    fact.requested, fact.model, fact.attempt, fact.secret, fact.credential)
end

local function read_facts(d)
  local f = {}
  for word in string.gmatch(d, '%S+') do f[#f + 1] = word end
  return {
    expires = tonumber(f[1]), created = tonumber(f[2]), reserved = tonumber(f[3]), remaining = tonumber(f[4]),
    requested = tonumber(f[5]), model = f[6], attempt = f[7], secret = f[8], credential = f[9],
  }
end
