import { randomUUID } from 'node:crypto';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import type { LedgerAnchor } from './anchor.ts';

/** The Redis at hand is not the one that holds the accounts: nothing is written to it, and nothing it says is believed. */
export class LedgerMissing extends LedgerUnavailable {}

export interface LedgerGuard {
  /** Passes when the accounts are in this Redis; begins a ledger where there never was one. Throws LedgerMissing. */
  check: () => Promise<void>;
  /** Why the ledger is missing, as of the last check; undefined: it is not. */
  missing: () => string | undefined;
  ledgerId: () => string | undefined;
}

export interface LedgerGuardOptions {
  identity: Pick<Ledger['identity'], 'read' | 'claim' | 'requestedRebuild'>;
  anchor: LedgerAnchor;
  /** Restores what can be, when somebody asked for it. */
  rebuild: (ledgerId: string) => Promise<void>;
  /** Tells what a rebuild would do. */
  showPlan: (ledgerId: string) => Promise<void>;
  /** How long the result of a check holds. */
  holdsMs: number;
  nowMs: () => number;
}

/** Makes the guard that stands before everything the operator writes to Redis. */
export function createLedgerGuard(options: LedgerGuardOptions): LedgerGuard {
  const { identity, anchor, holdsMs, nowMs } = options;
  let passedAtMs = -Infinity;
  let known: string | undefined;
  let missing: string | undefined;
  let running: Promise<void> | undefined;
  let failedAtMs = -Infinity;

  async function look(): Promise<void> {
    known ??= await anchor.read();
    const found = await identity.read();
    if (known === undefined) {
      // Redis first: an operator that dies in between finds the id there and keeps it.
      const ledgerId = found ?? (await identity.claim(randomUUID()));
      await anchor.write(ledgerId);
      known = ledgerId;
    } else if (found === undefined) {
      await restore(known);
    } else if (found !== known) {
      missing = `Redis holds another ledger (${found}) than this installation's (${known}): correct REDIS_URL or REDIS_KEY_PREFIX`;
      throw refusal(missing);
    }
    missing = undefined;
    passedAtMs = nowMs();
  }

  async function restore(ledgerId: string): Promise<void> {
    if ((await identity.requestedRebuild()) === ledgerId) {
      await options.rebuild(ledgerId);
      return;
    }
    missing =
      `Redis does not hold the ledger ${ledgerId}: it was emptied, or is the wrong one. ` +
      'Bring the right one back, or restore what can be with `svc-asr admin ledger rebuild`';
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
      running ??= look().finally(() => (running = undefined));
      await running;
    },
    missing: () => missing,
    ledgerId: () => known,
  };
}

type Asked = (...args: never[]) => Promise<unknown>;

/** The same functions, each of which asks the guard first. */
export function behindGuard<T extends object>(guard: Pick<LedgerGuard, 'check'>, api: T): T {
  const asked = Object.entries(api).map(([name, run]: [string, Asked]) => [
    name,
    async (...args: never[]) => {
      await guard.check();
      return run(...args);
    },
  ]);
  return Object.fromEntries(asked) as T;
}
