-- Returns the time of Redis in ms. All decisions about time use this clock.
local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
