import type { Limits } from '../../loadtest/lib/latency-targets.ts';
import type { Scenario, ScenarioName } from '../../loadtest/lib/scenarios.ts';
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

/** What a run was. */
export interface RunFacts {
  readonly scenario: ScenarioName;
  readonly startedAt: string;
  readonly seconds: number;
  readonly service: string;
  readonly model: string;
  readonly streams: number;
  /** 0: not known. */
  readonly declaredSlots: number;
  /** What a worker like it declares when the run is over, where that was looked at. */
  readonly declaredAfter: number | null;
  readonly slowWorker: boolean;
  readonly limits: Limits;
  readonly lagLimitMs: number;
  /** Whether k6's own thresholds were crossed. */
  readonly crossedThresholds: boolean;
}

export type Outcome = 'passed' | 'failed' | 'void';
/** Why latencies are about something else than the service. */
export type VoidReason = 'late generator' | 'slower machine';

/** What a run found: the JSON summary. */
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
  const isRight = gates.every(({ passed }) => passed);
  const areMet = targets.every(({ met }) => met) && !facts.crossedThresholds;
  const isBroken = requiresLatency && !areMet;
  const isLate = (requiresLatency || saturation !== null) && (lag.p95 ?? 0) > facts.lagLimitMs;
  // Latencies that a slow generator measured say nothing about the service, good or bad; bad ones of a machine that became
  // slower say nothing about what was declared before.
  const voidReason = isLate ? 'late generator' : isBroken && hasSlowed(facts) ? 'slower machine' : null;
  const outcome = !isRight ? 'failed' : voidReason !== null ? 'void' : isBroken ? 'failed' : 'passed';
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
  // More streams than were declared are late anyway.
  return declaredAfter !== null && streams <= declaredSlots && declaredAfter < declaredSlots * (1 - CHANGED_SHARE);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
