import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../../loadtest/lib/latency-targets.ts';
import { say } from '../launch/terminal.mjs';
import type { Control } from './control.ts';
import type { Records } from './records.ts';
import { concludeRamp, judgeStep } from './saturation.ts';
import type { Saturation, Step } from './saturation.ts';

export interface RampOptions {
  readonly declaredSlots: number;
  readonly steps: readonly number[];
  readonly stepMs: number;
  /** What does not count at the beginning of a step. */
  readonly settleMs: number;
  readonly limits: Limits;
  readonly control: Control;
  readonly readRecords: () => Records;
  readonly signal: AbortSignal;
}

/** Raises the number of streams step by step until a promise breaks. */
export async function climb(options: RampOptions): Promise<Saturation> {
  const { control, steps, declaredSlots, signal } = options;
  const seen: Step[] = [];
  for (const streams of steps) {
    control.want(streams);
    const step = await look(streams, options);
    seen.push(step);
    say(describe(step));
    if (step.broken.length > 0) break;
  }
  control.want(0);
  // Those that speak finish their session and ask again.
  await control.everybodyIdle(signal);
  return concludeRamp(declaredSlots, seen);
}

async function look(streams: number, { stepMs, settleMs, limits, readRecords, signal }: RampOptions): Promise<Step> {
  await sleep(settleMs, undefined, { signal });
  const fromMs = Date.now();
  await sleep(stepMs - settleMs, undefined, { signal });
  return judgeStep(readRecords(), streams, fromMs, Date.now(), limits);
}

function describe({ streams, verdicts, broken }: Step): string {
  const seen = verdicts.map(({ target, p95 }) => `${target} p95 ${p95 === null ? '-' : `${Math.round(p95)} ms`}`);
  return `${streams} streams: ${seen.join(', ')}: ${broken.length === 0 ? 'holds' : broken.join(', ')}`;
}
