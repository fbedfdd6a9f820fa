import { LATENCY_TARGETS } from '../lib/latency-targets.ts';
import type { LatencyTargetName } from '../lib/latency-targets.ts';
import type { Plan } from '../lib/plan.ts';
import type { ScenarioName } from '../lib/scenarios.ts';
import { METRICS } from '../lib/thresholds.ts';
import type { Balances } from './admin.ts';
import { compareLatencies, judgeNoise } from './comparison.ts';
import type { Comparison } from './comparison.ts';
import { judgeGates, judgeRefusals } from './gates.ts';
import type { Gate } from './gates.ts';
import { countOf, distributionOf, meetsThresholds } from './k6-metrics.ts';
import type { Distribution, K6Metrics } from './k6-metrics.ts';
import { CHANGED_SHARE, concludeRamp } from './saturation.ts';
import type { Saturation } from './saturation.ts';
import type { SlotRange } from './stream-gate.ts';

/** Facts of a run. */
export interface RunFacts {
  readonly scenario: ScenarioName;
  readonly startedAt: string;
  readonly seconds: number;
  readonly service: string;
  /** Number of declared slots. 0 if it is unknown. */
  readonly declaredSlots: number;
  /** Slots that another worker of the same kind measured after the run. Null if they were not measured. */
  readonly declaredAfter: number | null;
  /**
   * Lowest and highest number of declared slots during the run. Null if the number of streams did not follow the slots.
   */
  readonly slotRange: SlotRange | null;
  readonly slowWorker: boolean;
  /** Time after which the CPU of the worker was halved. Null if it was not halved. */
  readonly cpuHalvedAfterSeconds: number | null;
  /** Share of the CPU time of this machine that was idle in quiet periods. Null if it was not measured. */
  readonly quietIdleShare: number | null;
}

/**
 * Smallest share of the CPU time that must be idle in quiet periods. If the share is smaller, other programs use the
 * machine, and the service has no free CPU time for the requests of the noisy tenant.
 */
const MIN_IDLE_SHARE = 0.25;

export type Outcome = 'passed' | 'failed' | 'void';
/** Reason why the measured latencies are not those of the service. */
export type VoidReason = 'late generator' | 'slower machine' | 'unsteady machine' | 'busy machine';

/** A latency target with the measured distribution. */
export interface Verdict extends Distribution {
  readonly target: LatencyTargetName;
  readonly limitMs: number;
  /** Null if the scenario does not require that latency targets are met. False if there are no measurements. */
  readonly met: boolean | null;
}

/** Result of a run, written as summary.json. */
export interface Summary extends RunFacts {
  readonly model: string;
  readonly streams: number;
  readonly outcome: Outcome;
  readonly voidReason: VoidReason | null;
  readonly gates: readonly Gate[];
  readonly targets: readonly Verdict[];
  readonly create: Distribution;
  readonly lag: Distribution;
  readonly lagLimitMs: number;
  readonly wordErrorRatePercent: number | null;
  /** Delta latencies of each requested context. */
  readonly contexts: Readonly<Record<string, Distribution>>;
  readonly sessions: number;
  readonly refused: number;
  readonly saturation: Saturation | null;
  /** Latencies in quiet and noisy periods. Empty in all scenarios except noisy-tenant. */
  readonly comparisons: readonly Comparison[];
}

type SummaryPlan = Pick<
  Plan,
  | ('contexts' | 'lagLimitMs' | 'limits' | 'model' | 'ramp' | 'requiresLatency' | 'streams')
  | ('noiseFactor' | 'periods')
>;

/** Judges a run and builds its summary. `growth` are the results of `judgeGrowth`. */
export function summarize(
  facts: RunFacts,
  plan: SummaryPlan,
  metrics: K6Metrics,
  balances: readonly Balances[],
  growth: readonly Gate[] = [],
): Summary {
  const { contexts, lagLimitMs, limits, model, ramp, requiresLatency, streams } = plan;
  const isMet = (name: string) => countOf(metrics, name) > 0 && meetsThresholds(metrics, name);
  const targets = LATENCY_TARGETS.map((target): Verdict => {
    const name = METRICS.latency(target);
    const met = requiresLatency ? isMet(name) : null;
    return {
      target,
      limitMs: limits[target],
      met,
      ...distributionOf(metrics, name),
    };
  });
  const refusals = facts.slotRange === null ? [] : [judgeRefusals(metrics)];
  const gates = [...judgeGates(metrics, balances), ...judgeNoise(metrics, plan), ...refusals, ...growth];
  const comparisons = plan.periods === null ? [] : compareLatencies(metrics);
  const missed = comparisons.filter(({ met }) => !met);
  const missesTarget =
    targets.some(({ met }) => met === false) ||
    (requiresLatency && !contexts.every((context) => isMet(METRICS.deltaOf(context))));
  // If the load generator was too slow, the measured latencies are not those of the service. If the machine became
  // slower, missed targets do not mean that too many slots were declared.
  const voidReason = !meetsThresholds(metrics, 'lag')
    ? 'late generator'
    : missesTarget && hasSlowed(facts, streams)
      ? 'slower machine'
      : missed.length > 0 && (facts.quietIdleShare ?? 1) < MIN_IDLE_SHARE
        ? 'busy machine'
        : missed.length > 0 && missed.every(({ isUnsteady }) => isUnsteady)
          ? 'unsteady machine'
          : null;
  const isCorrect = gates.every(({ passed }) => passed);
  const isSlow = missesTarget || missed.length > 0;
  const outcome = !isCorrect ? 'failed' : voidReason !== null ? 'void' : isSlow ? 'failed' : 'passed';
  const wer = metrics.wer?.values;
  return {
    ...facts,
    model,
    streams,
    outcome,
    voidReason,
    gates,
    targets,
    create: distributionOf(metrics, METRICS.create),
    lag: distributionOf(metrics, 'lag'),
    lagLimitMs,
    wordErrorRatePercent: wer === undefined ? null : Math.round(10 * (wer.avg ?? 0)) / 10,
    contexts: Object.fromEntries(
      contexts.map((context) => [context.join('-'), distributionOf(metrics, METRICS.deltaOf(context))]),
    ),
    sessions: countOf(metrics, 'sessions'),
    refused: countOf(metrics, 'session_refusals'),
    saturation: ramp === null ? null : concludeRamp(ramp, limits, metrics),
    comparisons,
  };
}

function hasSlowed({ declaredSlots, declaredAfter }: RunFacts, streams: number): boolean {
  // If there are more streams than declared slots, high latencies are expected.
  return declaredAfter !== null && streams <= declaredSlots && declaredAfter < declaredSlots * (1 - CHANGED_SHARE);
}
