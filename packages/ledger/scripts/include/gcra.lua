-- Rate limit by the generic cell rate algorithm: `limit` per minute with a burst of the same size. `arrival` is the
-- theoretical arrival time that the account stores. It is stored as text to keep fractions of a millisecond.
-- Returns allowed, new arrival time, remaining, ms until the full limit is available, ms until the next is allowed.
local GCRA_WINDOW_MS = 60000

local function gcra(arrival, limit, now)
  local interval = GCRA_WINDOW_MS / limit
  local before = math.max(now, (arrival or 0) + 0)
  local after = before + interval
  -- The tolerance keeps rounding from refusing the last request of a burst.
  local over = after - now - GCRA_WINDOW_MS - 0.001
  if over > 0 then return false, before, 0, math.ceil(before - now), math.ceil(over) end
  return true, after, math.floor((GCRA_WINDOW_MS + 0.001 - (after - now)) / interval), math.ceil(after - now), 0
end

local function gcra_text(arrival) return string.format('%.3f', arrival) end
