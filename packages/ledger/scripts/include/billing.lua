-- Converts accepted samples to milliseconds, like audioMs and billableMs of packages/core/src/audio.ts. Tests check
-- that the two files have the same constant (scripts.test.ts) and compute the same charge (random.integration.test.ts).
local SAMPLES_PER_MS = 16
-- Returns the duration in ms, rounded up.
local function audio_ms(samples) return math.ceil(samples / SAMPLES_PER_MS) end
-- Returns the charge in ms: the duration, rounded up to a whole second.
local function billable_ms(samples) return math.ceil(samples / (SAMPLES_PER_MS * 1000)) * 1000 end
