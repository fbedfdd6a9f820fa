-- Rate limit by the generic cell rate algorithm (GCRA): `limit` requests per minute, with a burst of the same size.
-- `arrival` is the theoretical arrival time, which the account stores as text to keep fractions of a millisecond.
local GCRA_WINDOW_MS = 60000

-- Returns whether the arrival time was stored before the clock stepped back. No request sets it more than one window
-- ahead of the clock.
local function has_stepped_back(arrival, now) return (arrival or 0) - now > GCRA_WINDOW_MS + 1 end

-- Returns five values: whether the request is allowed, the new arrival time (nil if it does not change), the number of
-- remaining requests, the time until the full limit is available, and the time until the next request is allowed (ms).
local function gcra(arrival, limit, now)
  local interval = GCRA_WINDOW_MS / limit
  -- After the clock stepped back, the limit counts as used up. The caller must store the returned arrival time even if
  -- it refuses the request. Otherwise all requests would be refused until the clock is back at its old time.
  local stepped = has_stepped_back(arrival, now)
  local before = stepped and now + GCRA_WINDOW_MS or math.max(now, (arrival or 0) + 0)
  local after = before + interval
  -- Without the tolerance, a rounding error could refuse the last request of a burst.
  local over = after - now - GCRA_WINDOW_MS - 0.001
  if over > 0 then return false, stepped and before or nil, 0, math.ceil(before - now), math.ceil(over) end
  return true, after, math.floor((GCRA_WINDOW_MS + 0.001 - (after - now)) / interval), math.ceil(after - now), 0
end

local function gcra_text(arrival) return string.format('%.3f', arrival) end
