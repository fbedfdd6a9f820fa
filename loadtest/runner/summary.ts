import type { Limits } from '../lib/latency-targets.ts';
import type { Scenario, ScenarioName } from '../lib/scenarios.ts';
import type { Balances } from './balances.ts';
import { judgeGates } from './gates.ts';
import type { Gate } from './gates.ts';
import { byContext, judgeTargets, lagOf, seriesOf, wordErrorRateOf } from './latencies.ts';
import type { Verdict } from './latencies.ts';
import type { Distribution } from './percentile.ts';
import { distributionOf } from './percentile.ts';
import type { Records } from './records.ts';
import { CHANGED_SHARE } from './saturation.ts';
import type { Saturation } from './saturation.ts';

/** Facts of a run. */
export interface RunFacts {
  readonly scenario: ScenarioName;
  readonly startedAt: string;
  readonly seconds: number;
  readonly service: string;
  readonly model: string;
  readonly streams: number;
  /** 0 if unknown. */
  readonly declaredSlots: number;
  /** Slots that another worker of the same kind measured after the run, or null if it was not measured. */
  readonly declaredAfter: number | null;
  readonly slowWorker: boolean;
  readonly limits: Limits;
  readonly lagLimitMs: number;
  /** Whether the run crossed thresholds of k6. */
  readonly crossedThresholds: boolean;
}

export type Outcome = 'passed' | 'failed' | 'void';
/** Reason why the latencies are not those of the service. */
export type VoidReason = 'late generator' | 'slower machine';

/** Result of a run, written as summary.json. */
export interface Summary extends RunFacts {
  readonly outcome: Outcome;
  readonly voidReason: VoidReason | null;
  readonly gates: readonly Gate[];
  readonly targets: readonly Verdict[];
  readonly create: Distribution;
  readonly lag: Distribution;
  readonly wordErrorRatePercent: number | null;
  readonly contexts: Readonly<Record<string, Distribution>>;
  readonly sessions: number;
  readonly utterances: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly saturation: Saturation | null;
}

/** Judges a run. */
export function summarize(
  facts: RunFacts,
  { requiresLatency, mayBeRefused }: Scenario,
  found: { records: Records; balances: readonly Balances[]; saturation: Saturation | null },
): Summary {
  const { records, balances, saturation } = found;
  const gates = judgeGates(records, balances, mayBeRefused);
  const targets = judgeTargets(seriesOf(records), facts.limits);
  const lag = lagOf(records);
  const isCorrect = gates.every(({ passed }) => passed);
  const areMet = targets.every(({ met }) => met) && !facts.crossedThresholds;
  const missesTarget = requiresLatency && !areMet;
  const isLate = (requiresLatency || saturation !== null) && (lag.p95 ?? 0) > facts.lagLimitMs;
  // Latencies measured by a slow generator say nothing about the service. Missed targets on a machine that became
  // slower say nothing about the slots declared before.
  const voidReason = isLate ? 'late generator' : missesTarget && hasSlowed(facts) ? 'slower machine' : null;
  const outcome = !isCorrect ? 'failed' : voidReason !== null ? 'void' : missesTarget ? 'failed' : 'passed';
  return {
    ...facts,
    outcome,
    voidReason,
    gates,
    targets,
    lag,
    saturation,
    create: distributionOf(records.sessions.map(({ createMs }) => createMs)),
    wordErrorRatePercent: wordErrorRateOf(records),
    contexts: byContext(records),
    sessions: records.sessions.length,
    utterances: records.utterances.length,
    refusals: countBy(records.refusals.map(({ status, code }) => `${status} ${code}`)),
  };
}

function hasSlowed({ streams, declaredSlots, declaredAfter }: RunFacts): boolean {
  // With more streams than declared slots, high latencies are expected.
  return declaredAfter !== null && streams <= declaredSlots && declaredAfter < declaredSlots * (1 - CHANGED_SHARE);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
