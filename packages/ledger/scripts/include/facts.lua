-- What does not change of a session, in one field `d` of its hash: to Redis one field costs a fraction of nine.
-- expires, created, reserved ms, remaining s, model, fingerprint of the request, attempt that made it, id of the session
-- secret, hash of the credential
local function write_facts(expires, created, reserved, remaining, ...)
  return string.format('%d %d %d %d %s %s %s %s %s', expires, created, reserved, remaining, ...)
end

local function read_facts(d)
  local f = {}
  for word in string.gmatch(d, '%S+') do f[#f + 1] = word end
  return {
    expires = tonumber(f[1]), created = tonumber(f[2]), reserved = tonumber(f[3]), remaining = tonumber(f[4]), model = f[5],
    fingerprint = f[6], attempt = f[7], secret = f[8], credential = f[9],
  }
end
