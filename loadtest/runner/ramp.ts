import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../lib/latency-targets.ts';
import { say } from '../../tools/launch/terminal.mjs';
import type { Control } from './control.ts';
import type { Records } from './records.ts';
import { concludeRamp, judgeStep } from './saturation.ts';
import type { Saturation, Step } from './saturation.ts';

export interface RampOptions {
  readonly declaredSlots: number;
  readonly steps: readonly number[];
  readonly stepMs: number;
  /** Start of a step that is not measured. */
  readonly settleMs: number;
  readonly limits: Limits;
  readonly control: Control;
  readonly readRecords: () => Records;
  readonly signal: AbortSignal;
}

/** Raises the number of streams step by step until a latency target is missed. */
export async function runRamp(options: RampOptions): Promise<Saturation> {
  const { control, steps, declaredSlots, signal } = options;
  const results: Step[] = [];
  for (const streams of steps) {
    control.setStreams(streams);
    const step = await measureStep(streams, options);
    results.push(step);
    say(describe(step));
    if (step.failures.length > 0) break;
  }
  control.setStreams(0);
  // Virtual users that stream finish their session and then poll again.
  await control.waitUntilIdle(signal);
  return concludeRamp(declaredSlots, results);
}

async function measureStep(
  streams: number,
  { stepMs, settleMs, limits, readRecords, signal }: RampOptions,
): Promise<Step> {
  await sleep(settleMs, undefined, { signal });
  const fromMs = Date.now();
  await sleep(stepMs - settleMs, undefined, { signal });
  return judgeStep(readRecords(), streams, fromMs, Date.now(), limits);
}

function describe({ streams, verdicts, failures }: Step): string {
  const seen = verdicts.map(({ target, p95 }) => `${target} p95 ${p95 === null ? '-' : `${Math.round(p95)} ms`}`);
  return `${streams} streams: ${seen.join(', ')}: ${failures.length === 0 ? 'targets met' : failures.join(', ')}`;
}
