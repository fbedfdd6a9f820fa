-- A rate limit by the generic cell rate algorithm: `limit` a minute, and a burst as large. `arrival` is the theoretical
-- arrival time that the account keeps (a fraction of a millisecond matters: it is kept as text).
-- Returns allowed, the new arrival time, remaining, milliseconds until whole, milliseconds until one more.
local GCRA_WINDOW_MS = 60000

local function gcra(arrival, limit, now)
  local interval = GCRA_WINDOW_MS / limit
  local before = math.max(now, (arrival or 0) + 0)
  local after = before + interval
  -- A hair of tolerance: the last request of a burst must not fall to rounding.
  local over = after - now - GCRA_WINDOW_MS - 0.001
  if over > 0 then return false, before, 0, math.ceil(before - now), math.ceil(over) end
  return true, after, math.floor((GCRA_WINDOW_MS + 0.001 - (after - now)) / interval), math.ceil(after - now), 0
end

local function gcra_text(arrival) return string.format('%.3f', arrival) end
