import { sleep } from 'k6';
import execution from 'k6/execution';
import { get } from 'k6/http';
import { call } from './lib/call.ts';
import { elapsedMs } from './lib/current-tags.ts';
import type { LatencyTargetName } from './lib/latency-targets.ts';
import { buildK6Options, oneCallEach } from './lib/load.ts';
import { plan } from './lib/plan-file.ts';
import { judgeStep, stepAt } from './lib/ramp.ts';
import type { Ramp, StepMeasurement } from './lib/ramp.ts';
import { METRICS } from './lib/thresholds.ts';

export { handleSummary } from './lib/load.ts';

const POLL_SECONDS = 1;
/** Time that k6 needs to add the last measurements of a step to its metrics. */
const SAMPLES_WITHIN_MS = 1000;

/** The number of virtual users is the number of streams of the last step. In earlier steps, some users are idle. */
export const options = buildK6Options({ ramp: oneCallEach(plan.streams, plan.durationSeconds) });

/** Number of judged steps. Each virtual user has its own copy of this variable and of `hasFailed`. */
let judged = 0;
/** True if a judged step has failed. */
let hasFailed = false;

/**
 * Runs sessions while the current step needs this virtual user. Returns after a step has failed, or after the last
 * step.
 */
export default async function (): Promise<void> {
  const { ramp } = plan;
  if (ramp === null) throw new Error('the plan has no ramp');
  const user = execution.vu.idInTest;
  for (let sessions = 0; !isOver(ramp, user);) {
    if (user <= (ramp.steps[currentIndex(ramp)] ?? 0)) await call('regular', sessions++);
    else sleep(POLL_SECONDS);
  }
}

/**
 * Returns the index of the current step. Each step after the first starts SAMPLES_WITHIN_MS later than planned. At that
 * time, k6 has all measurements of the previous step, so that the previous step can be judged.
 */
function currentIndex(ramp: Ramp): number {
  return Math.max(0, stepAt(ramp, elapsedMs() - SAMPLES_WITHIN_MS));
}

/**
 * Judges the steps that have ended since the last call. Returns true if a step has failed, or if the last step has
 * ended. Each virtual user judges the steps itself, because virtual users share no state.
 */
function isOver(ramp: Ramp, user: number): boolean {
  const ended = Math.min(currentIndex(ramp), ramp.steps.length);
  for (; judged < ended && !hasFailed; judged++) {
    const streams = ramp.steps[judged] ?? 0;
    const failures = judgeStep(measureStep(streams), plan.limits);
    hasFailed = failures.length > 0;
    if (user === 1) console.log(`${streams} streams: ${hasFailed ? failures.join(', ') : 'targets met'}`);
  }
  return hasFailed || ended === ramp.steps.length;
}

function measureStep(streams: number): StepMeasurement {
  const latency = (target: LatencyTargetName) => {
    const { max, 'p(95)': p95 } = readMetric(METRICS.latencyAt(target, streams));
    // k6 returns zeros for a metric without values.
    return max === 0 ? null : (p95 ?? null);
  };
  return {
    latencies: { delta: latency('delta'), final: latency('final'), ready: latency('ready') },
    refused: readMetric(METRICS.refusedAt(streams)).count ?? 0,
  };
}

/** Reads a metric from the REST API of k6 itself. */
function readMetric(name: string): Readonly<Record<string, number>> {
  const { status, body } = get(`${plan.k6Url}/v1/metrics/${encodeURIComponent(name)}`, { tags: { name: 'k6' } });
  if (status !== 200) throw new Error(`k6 returned ${status} for its metric ${name}`);
  return (JSON.parse(body ?? '') as { data: { attributes: { sample: Record<string, number> } } }).data.attributes
    .sample;
}
