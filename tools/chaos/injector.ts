import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS } from './fault-list.ts';
import type { FaultKind, FaultName } from './fault-list.ts';
import { inject } from './faults.ts';
import type { Load } from './load.ts';
import type { Impact } from './oracle.ts';
import type { Heal } from './parts/process.ts';
import { findPrimary, untilPromoted, untilRedisWrites } from './redis-faults.ts';
import type { PlannedFault } from './schedule.ts';
import type { ChaosService } from './service.ts';
import { isSpeaking } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';
import type { Timeline } from './timeline.ts';

/** A fault that was injected, with its effect on the streams that ran at that moment. */
export interface InjectedFault extends Impact {
  readonly name: FaultName;
  /** Number of streams that waited for answers when the fault started. */
  readonly streams: number;
  /** Time from the end of the fault until each of these streams had an answer, or had ended. */
  readonly recoveryMs: number;
}

const POLL_MS = 50;
/** Longest time that the injector waits after a fault until all streams have an answer. */
const RECOVERED_WITHIN_MS = 60_000;
/** Interval between attempts to end a fault. */
const RETRY_MS = 250;

/** Injects all faults of a schedule. Resolves when all have ended and their streams have recovered. */
export async function injectAll(
  plan: readonly PlannedFault[],
  service: ChaosService,
  load: Load,
  timeline: Timeline,
): Promise<InjectedFault[]> {
  const pending: Promise<InjectedFault | undefined>[] = [];
  const startedAtMs = timeline.nowMs;
  for (const planned of plan) {
    await sleep(Math.max(0, startedAtMs + planned.atMs - timeline.nowMs));
    pending.push(injectOne(planned, service, load, timeline));
  }
  return (await Promise.all(pending)).filter((fault) => fault !== undefined);
}

/**
 * Injects a fault and waits for the recovery. Returns undefined if the fault could not be injected, for example because
 * Redis has not recovered from the last fault.
 */
async function injectOne(
  planned: PlannedFault,
  service: ChaosService,
  load: Load,
  timeline: Timeline,
): Promise<InjectedFault | undefined> {
  const { name, index, lastsMs, stepMs } = planned;
  const { target, harm, promotes }: FaultKind = FAULTS[name];
  const { ledger } = service;
  try {
    const primary = target === 'redis' ? await findPrimary(service) : undefined;
    const affected = load.speaking();
    const fromMs = timeline.nowMs;
    const step = stepMs === 0 ? '' : ` by ${stepMs} ms`;
    timeline.add(`${name} ${index}${step} for ${lastsMs} ms with ${affected.length} streams`);
    const heal = await inject(service, planned, primary);
    if (primary !== undefined && promotes) {
      await untilPromoted(ledger, primary).catch((error: unknown) => timeline.add(`${name}: ${String(error)}`));
      await untilRedisWrites(ledger);
    }
    const usableAtMs = timeline.nowMs;
    await sleep(lastsMs);
    await untilHealed(heal);
    if (target === 'redis') await untilRedisWrites(ledger);
    timeline.add(`${name} ${index} ended`);
    // After a promotion, the fault affects clients only until Redis accepts writes. The later return of the former
    // primary does not affect them.
    const toMs = promotes ? usableAtMs : timeline.nowMs;
    const recoveryMs = await waitForRecovery(affected, timeline);
    const gateway = target === 'gateway' ? index : undefined;
    return { name, harm, gateway, fromMs, toMs, streams: affected.length, recoveryMs };
  } catch (error) {
    timeline.add(`${name} ${index} was not injected: ${String(error)}`);
    return undefined;
  }
}

/** Ends a fault. Retries until this succeeds, because Redis may be unavailable. */
async function untilHealed(heal: Heal): Promise<void> {
  for (let isHealed = false; !isHealed;) {
    isHealed = await Promise.resolve(heal()).then(
      () => true,
      () => sleep(RETRY_MS, false),
    );
  }
}

/** Waits until each stream has an answer or has ended, for at most a minute. Returns the time that it took. */
async function waitForRecovery(affected: readonly SessionRecord[], timeline: Timeline): Promise<number> {
  const endedAtMs = timeline.nowMs;
  const hasRecovered = () => affected.every((stream) => !isSpeaking(stream) || stream.answeredAtMs > endedAtMs);
  while (!hasRecovered() && timeline.nowMs < endedAtMs + RECOVERED_WITHIN_MS) await sleep(POLL_MS);
  return timeline.nowMs - endedAtMs;
}
