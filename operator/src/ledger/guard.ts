import { randomUUID } from 'node:crypto';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import type { LedgerAnchor } from './anchor.ts';

/**
 * Thrown if Redis does not contain the ledger of this installation. The operator then applies no resource to this
 * Redis.
 */
export class LedgerMissing extends LedgerUnavailable {}

export interface LedgerGuard {
  /**
   * Resolves if the ledger is in this Redis. Creates a ledger for a new installation, and rebuilds a missing one if an
   * administrator requested it. Otherwise throws LedgerMissing.
   */
  check: () => Promise<void>;
  /** Returns why the last check found the ledger missing. Undefined if the ledger is present or was not checked yet. */
  missing: () => string | undefined;
  ledgerId: () => string | undefined;
}

export interface LedgerGuardOptions {
  identity: Pick<Ledger['identity'], 'read' | 'claim' | 'requestedRebuild'>;
  anchor: LedgerAnchor;
  /** Rebuilds the ledger. Called only if an administrator requested it. */
  rebuild: (ledgerId: string) => Promise<void>;
  /** Publishes what a rebuild would restore. */
  showPlan: (ledgerId: string) => Promise<void>;
  /**
   * Checks the configuration of Redis. Called until it has succeeded once. Throws if Redis must not be used, or does
   * not answer.
   */
  checkServer?: () => Promise<void>;
  /** Stores the schema version in Redis. Called until it has succeeded once, and again after each rebuild. */
  stampSchema?: () => Promise<void>;
  /** Time for which the result of a check is reused. */
  validForMs: number;
  nowMs: () => number;
}

/** Creates the guard. Each reconcile and each background task checks it before it writes to the ledger. */
export function createLedgerGuard(options: LedgerGuardOptions): LedgerGuard {
  const { identity, anchor, validForMs: holdsMs, nowMs } = options;
  let passedAtMs = -Infinity;
  let known: string | undefined;
  let missing: string | undefined;
  let running: Promise<void> | undefined;
  let failedAtMs = -Infinity;
  let isServerChecked = false;
  let isStamped = false;

  async function compareIds(): Promise<void> {
    if (!isServerChecked) await options.checkServer?.();
    isServerChecked = true;
    known ??= await anchor.read();
    const found = await identity.read();
    if (known === undefined) {
      // The id is written to Redis first, and then to the anchor. If the operator crashes between the two writes, the
      // next operator finds the id in Redis and adopts it.
      const ledgerId = found ?? (await identity.claim(randomUUID()));
      await anchor.write(ledgerId);
      known = ledgerId;
    } else if (found === undefined) {
      await restore(known);
    } else if (found !== known) {
      missing = `Redis contains the ledger ${found}, but this installation uses ${known}. Correct REDIS_URL or REDIS_KEY_PREFIX`;
      throw refusal(missing);
    }
    if (!isStamped) await options.stampSchema?.();
    isStamped = true;
    missing = undefined;
    passedAtMs = nowMs();
  }

  async function restore(ledgerId: string): Promise<void> {
    if ((await identity.requestedRebuild()) === ledgerId) {
      await options.rebuild(ledgerId);
      isStamped = false;
      return;
    }
    missing =
      `Redis does not contain the ledger ${ledgerId}. It was emptied, or it is the wrong Redis. ` +
      'Restore the right one, or run `svc-asr admin ledger rebuild`';
    await options.showPlan(ledgerId);
    throw refusal(missing);
  }

  function refusal(message: string): LedgerMissing {
    failedAtMs = nowMs();
    return new LedgerMissing(message);
  }

  return {
    check: async () => {
      if (nowMs() - passedAtMs < holdsMs) return;
      if (missing !== undefined && nowMs() - failedAtMs < holdsMs) throw new LedgerMissing(missing);
      running ??= compareIds().finally(() => (running = undefined));
      await running;
    },
    missing: () => missing,
    ledgerId: () => known,
  };
}

type Asked = (...args: never[]) => Promise<unknown>;

/** Wraps an API so that every function checks the guard first. */
export function withLedgerGuard<T extends object>(guard: Pick<LedgerGuard, 'check'>, api: T): T {
  const guarded = Object.entries(api).map(([name, run]: [string, Asked]) => [
    name,
    async (...args: never[]) => {
      await guard.check();
      return run(...args);
    },
  ]);
  return Object.fromEntries(guarded) as T;
}
