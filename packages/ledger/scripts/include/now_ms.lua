-- Milliseconds of Redis TIME: the only clock that decides anything.
local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
