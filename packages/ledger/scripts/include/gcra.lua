-- Rate limit by the generic cell rate algorithm: `limit` per minute with a burst of the same size. `arrival` is the
-- theoretical arrival time that the account stores. It is stored as text to keep fractions of a millisecond.
-- Returns allowed, new arrival time or nil if it does not change, remaining, ms until the full limit is available, ms
-- until the next is allowed.
local GCRA_WINDOW_MS = 60000

local function gcra(arrival, limit, now)
  local interval = GCRA_WINDOW_MS / limit
  local stored = (arrival or 0) + 0
  -- No request sets an arrival time more than one window ahead, unless the clock has stepped back since. The limit then
  -- counts as used up. The caller must store this also if it refuses the request, so that the next interval allows one.
  local latest = now + GCRA_WINDOW_MS
  local stepped = stored > latest + 1
  local before = stepped and latest or math.max(now, stored)
  local after = before + interval
  -- The tolerance keeps rounding from refusing the last request of a burst.
  local over = after - now - GCRA_WINDOW_MS - 0.001
  if over > 0 then return false, stepped and before or nil, 0, math.ceil(before - now), math.ceil(over) end
  return true, after, math.floor((GCRA_WINDOW_MS + 0.001 - (after - now)) / interval), math.ceil(after - now), 0
end

local function gcra_text(arrival) return string.format('%.3f', arrival) end
