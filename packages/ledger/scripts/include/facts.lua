-- What does not change of a session, in one field `d` of its hash: to Redis one field costs a fraction of nine.
-- reserve.lua writes it: expires, created, reserved ms, remaining s, requested s, model, then attempt that made it, id of
-- the session secret and hash of the credential, which come as one.
local function read_facts(d)
  local f = {}
  for word in string.gmatch(d, '%S+') do f[#f + 1] = word end
  return {
    expires = tonumber(f[1]), created = tonumber(f[2]), reserved = tonumber(f[3]), remaining = tonumber(f[4]),
    requested = tonumber(f[5]), model = f[6], attempt = f[7], secret = f[8], credential = f[9],
  }
end
