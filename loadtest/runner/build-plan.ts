import { parseContexts } from '../lib/options.ts';
import type { Options } from '../lib/options.ts';
import type { Periods } from '../lib/periods.ts';
import type { Plan } from '../lib/plan.ts';
import type { Ramp } from '../lib/ramp.ts';
import { SCENARIOS } from '../lib/scenarios.ts';
import type { ScenarioName } from '../lib/scenarios.ts';
import type { Recordings } from './recordings.ts';
import { stepsOf } from './saturation.ts';

/** Maximum audio of a session in seconds, as the public API defines it. */
const MAX_AUDIO_SECONDS = 300;
const MAX_STREAMS = 20_000;

/** The plan without the fields that `runLoadtest` adds. It also contains the number of regular tenants. */
export type PartialPlan = Omit<Plan, 'baseUrl' | 'callers' | 'gateUrl' | 'k6Url' | 'metricsFile'> & {
  readonly tenants: number;
};

/**
 * Largest factor by which the number of streams may rise during a run. It can rise because a worker on a CPU offers
 * only a part of its slots at first.
 */
const MAX_RISE = 2;

/** Slots of the workers of the model. */
export interface PlannedSlots {
  /** 0 if the declared slots are unknown. */
  readonly declared: number;
  /** Whether the number of streams follows the declared slots during the run. */
  readonly areFollowed: boolean;
}

/** Builds the plan of a run. */
export function buildPlan(
  scenario: ScenarioName,
  options: Options,
  model: string,
  slots: PlannedSlots,
  recordings: Recordings,
): PartialPlan {
  const declaredSlots = slots.declared;
  const sessionSeconds = options.whole('SESSION_SECONDS', 1, 280);
  if (sessionSeconds + recordings.longestSeconds > MAX_AUDIO_SECONDS) {
    throw new Error(
      `SESSION_SECONDS=${sessionSeconds} is too long. With these recordings a session would exceed 300 s of audio.`,
    );
  }
  const ramp = scenario === 'ramp-to-saturation' ? rampOf(options, declaredSlots) : null;
  const regular = ramp === null ? streamsOf(options, declaredSlots) : (ramp.steps.at(-1) ?? 1);
  const spike = Math.max(1, Math.round((regular * (options.whole('SPIKE_PERCENT', 101, 100_000) - 100)) / 100));
  return {
    model,
    ramp,
    streamOrigin: options.text('STREAM_ORIGIN').replace(/\/$/, ''),
    recordings: recordings.files,
    tenants: Math.min(options.whole('TENANTS', 1, 1000), regular),
    contexts: parseContexts(options.text('CONTEXTS')),
    streams: regular,
    users: slots.areFollowed ? regular * MAX_RISE : regular,
    durationSeconds:
      ramp === null ? options.whole('DURATION_SECONDS', 1, 7 * 86_400) : ramp.steps.length * ramp.stepSeconds,
    sessionSeconds,
    spreadSeconds: options.whole('SPREAD_SECONDS', 0, 3600),
    pauseMs: options.whole('PAUSE_MS', 0, 600_000),
    frameMs: options.whole('FRAME_MS', 10, 1000),
    limits: {
      delta: options.whole('DELTA_P95_MS', 1, 600_000),
      final: options.whole('FINAL_P95_MS', 1, 600_000),
      ready: options.whole('READY_P95_MS', 1, 600_000),
    },
    spike: { streams: spike, seconds: options.whole('SPIKE_SECONDS', 1, 86_400) },
    periods: scenario === 'noisy-tenant' ? periodsOf(options) : null,
    noiseFactor: options.whole('NOISE_FACTOR', 1, 1000),
    requiresLatency: SCENARIOS[scenario].requiresLatency,
    mayBeRefused: SCENARIOS[scenario].mayBeRefused,
    lagLimitMs: options.whole('LAG_P95_MS', 1, 10_000),
  };
}

function streamsOf(options: Options, declaredSlots: number): number {
  const given = options.optional('STREAMS', 1, MAX_STREAMS);
  if (given !== undefined) return given;
  requireSlots(declaredSlots, 'STREAMS');
  return Math.max(1, Math.floor((declaredSlots * options.whole('LOAD_PERCENT', 1, 1000)) / 100));
}

/** Returns the periods of a run. The runner sets their start. */
function periodsOf(options: Options): Periods {
  const seconds = options.whole('PERIOD_SECONDS', 5, 600);
  const pairs = Math.floor(options.whole('DURATION_SECONDS', 1, 7 * 86_400) / (2 * seconds));
  // With four periods, there are two quiet periods that can be compared with each other.
  if (pairs < 2) throw new Error(`DURATION_SECONDS must be at least four times PERIOD_SECONDS=${seconds}`);
  return { startMs: 0, seconds, count: 2 * pairs };
}

function rampOf(options: Options, declaredSlots: number): Ramp {
  requireSlots(declaredSlots, 'DECLARED_SLOTS');
  const steps = stepsOf(declaredSlots, {
    start: options.whole('RAMP_START_PERCENT', 1, 10_000),
    step: options.whole('RAMP_STEP_PERCENT', 1, 10_000),
    max: options.whole('RAMP_MAX_PERCENT', 1, 10_000),
  });
  const stepSeconds = options.whole('RAMP_STEP_SECONDS', 10, 3600);
  const settleSeconds = options.whole('SPREAD_SECONDS', 0, 3600);
  if (steps.length === 0 || stepSeconds <= settleSeconds) {
    throw new Error(
      'a ramp needs RAMP_MAX_PERCENT above RAMP_START_PERCENT and RAMP_STEP_SECONDS above SPREAD_SECONDS',
    );
  }
  return { steps, stepSeconds, settleSeconds };
}

function requireSlots(declaredSlots: number, option: string): void {
  if (declaredSlots > 0) return;
  throw new Error(`the declared slots are unknown. Set ${option}, or set OPERATOR_URL to read them from the operator.`);
}
