-- A rate limit by the generic cell rate algorithm: `limit` a minute, and a burst as large.
-- Returns allowed, the new theoretical arrival time, remaining, milliseconds until whole, milliseconds until one more.
local GCRA_WINDOW_MS = 60000

local function gcra(key, limit, now)
  local interval = GCRA_WINDOW_MS / limit
  local before = math.max(now, tonumber(redis.call('GET', key) or 0))
  local after = before + interval
  -- A hair of tolerance: the times are fractions, and the last request of a burst must not fall to rounding.
  local over = after - now - GCRA_WINDOW_MS - 0.001
  if over > 0 then return false, before, 0, math.ceil(before - now), math.ceil(over) end
  return true, after, math.floor((GCRA_WINDOW_MS + 0.001 - (after - now)) / interval), math.ceil(after - now), 0
end

local function gcra_store(key, arrival, now)
  redis.call('SET', key, string.format('%.3f', arrival), 'PX', math.max(1, math.ceil(arrival - now)))
end
