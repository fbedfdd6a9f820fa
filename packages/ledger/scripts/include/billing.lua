-- Converts accepted samples to milliseconds, like audioMs and billableMs of packages/core/src/audio.ts. Tests compare
-- the constant (scripts.test.ts) and the results (random.integration.test.ts).
local SAMPLES_PER_MS = 16
-- Duration, rounded up.
local function audio_ms(samples) return math.ceil(samples / SAMPLES_PER_MS) end
-- Charge: the duration, rounded up to a whole second.
local function billable_ms(samples) return math.ceil(samples / (SAMPLES_PER_MS * 1000)) * 1000 end
