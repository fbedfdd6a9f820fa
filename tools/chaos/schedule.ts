import { FAULTS } from './fault-list.ts';
import type { FaultKind, FaultName } from './fault-list.ts';
import type { Random } from '../../test/support/random.ts';

/** One fault of a schedule. */
export interface PlannedFault {
  readonly name: FaultName;
  /** Time since the start of the run. */
  readonly atMs: number;
  readonly lastsMs: number;
  /** Index of the gateway, worker or sentinel that is hit. 0 for Redis, the operator and the API server. */
  readonly index: number;
  /** Step of the wall clock. 0 for faults that leave clocks as they are. */
  readonly stepMs: number;
}

export interface ScheduleOptions {
  readonly faults: readonly FaultName[];
  readonly durationMs: number;
  readonly intervalMs: number;
  readonly gateways: number;
  readonly workers: number;
  readonly sentinels: number;
}

/**
 * Share of injections that draw two faults. A drawn fault is skipped if its part of the service is busy, or if too many
 * faults are active.
 */
const PAIRS = 0.3;
/** Time without faults that each part of the service gets after each of its faults. */
const REST_MS = 1500;
/** Maximum number of faults at the same time. */
const AT_ONCE = 2;
/** Time that the sentinels need to promote a replica. */
const PROMOTION_MS = 4000;

/** Steps of a clock: a short one, one that exceeds the lifetimes of credentials and leases, and a very long one. */
const STEPS_MS = [5000, 60_000, 3_600_000] as const;

/** Builds all faults of a run. The result depends only on the random numbers and the options. */
export function buildSchedule(random: Random, options: ScheduleOptions): PlannedFault[] {
  const { durationMs, intervalMs } = options;
  const plan: PlannedFault[] = [];
  const urn = options.faults.flatMap((name) => Array.from({ length: FAULTS[name].weight }, () => name));
  /** Time until which each part of the service gets no further fault. */
  const busyUntil = new Map<string, number>();
  for (let atMs = intervalMs / 2; atMs < durationMs; atMs += intervalMs * (0.5 + random.next())) {
    const count = random.next() < PAIRS ? 2 : 1;
    for (let each = 0; each < count; each++) {
      const fault = draw(random, urn, options, atMs);
      const part = `${FAULTS[fault.name].target} ${fault.index}`;
      if ((busyUntil.get(part) ?? 0) > atMs) continue;
      if (plan.filter((other) => endOf(other) > atMs).length === AT_ONCE) continue;
      busyUntil.set(part, endOf(fault) + REST_MS);
      plan.push(fault);
    }
  }
  return plan;
}

/** Returns when a fault ends. */
export function endOf({ name, atMs, lastsMs }: PlannedFault): number {
  return atMs + lastsMs + (FAULTS[name].promotes ? PROMOTION_MS : 0);
}

function draw(
  random: Random,
  urn: readonly FaultName[],
  { gateways, workers, sentinels }: ScheduleOptions,
  atMs: number,
): PlannedFault {
  const name = random.pick(urn);
  const { target, lastsMs, clock }: FaultKind = FAULTS[name];
  const counts = { gateway: gateways, worker: workers, sentinel: sentinels, redis: 1, operator: 1, 'api-server': 1 };
  return {
    name,
    atMs: Math.round(atMs),
    lastsMs: random.between(...lastsMs),
    index: random.between(0, counts[target] - 1),
    stepMs: clock === 0 ? 0 : clock * random.pick(STEPS_MS),
  };
}
