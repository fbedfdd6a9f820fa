import { isDeepStrictEqual } from 'node:util';
import type { Account, Ledger } from '@svc-asr/ledger';
import { readWhole, writeDurably } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { Checkpoint } from './checkpoint.ts';
import { isExpired, markDeleted } from './kept.ts';
import type { Kept } from './kept.ts';

export interface Checkpoints {
  of: (tenant: string) => Checkpoint | undefined;
  /** Returns the number of checkpoints of a tenant in the file: 0 or 1. Always 0 in a cluster, which has no file. */
  countOf: (tenant: string) => Promise<number>;
  /** Removes the checkpoint of a tenant whose resource was deleted. */
  remove: (tenant: string) => Promise<void>;
  start: () => Promise<void>;
  stop: () => void;
}

export interface FileCheckpointOptions {
  file: string;
  accounts: Pick<Ledger['accounts'], 'read'>;
  tenants: () => readonly string[];
  /** Returns whether a tenant that is missing from `tenants` was certainly deleted. */
  isSettled: () => boolean;
  /** Returns whether Redis contains the right ledger. */
  isLedgerPresent: () => boolean;
  /** Time for which the checkpoint of a deleted tenant is kept. */
  retentionMs: number;
  intervalMs: number;
  logger: Logger;
  /** Milliseconds since 1970. */
  wallMs?: () => number;
}

/** Writes the consumption of each tenant to a file at intervals. Used if resources are files, which have no status. */
export function createFileCheckpoints(options: FileCheckpointOptions): Checkpoints {
  const {
    file,
    accounts,
    tenants,
    isSettled,
    isLedgerPresent: isSure,
    retentionMs,
    intervalMs,
    logger,
    wallMs = Date.now,
  } = options;
  let known: Kept = {};
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  /** Settles when the last write of the file has ended. */
  let turn: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier calls have ended, so that only one of them writes the file at a time. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  const read = async () => JSON.parse((await readWhole(file)) ?? '{}') as Kept;

  async function takeCheckpoint(): Promise<void> {
    if (!isSure()) return;
    const present = new Set(tenants());
    const next = isSettled() ? markDeleted(known, present, wallMs(), retentionMs) : { ...known };
    for (const tenant of present) {
      const account = await accounts.read(tenant);
      if (account === undefined || !isLater(account, next[tenant])) continue;
      const { consumedMs, limitedCorrections, budget } = account;
      const checkpointAt = new Date(wallMs()).toISOString();
      next[tenant] = {
        consumedMs,
        checkpointAt,
        ...(limitedCorrections.length > 0 && { limitedCorrections }),
        ...(budget !== undefined && { budget }),
      };
    }
    await write(next);
  }

  async function write(next: Kept): Promise<void> {
    if (isDeepStrictEqual(next, known)) return;
    await writeDurably(file, `${JSON.stringify(next, null, 2)}\n`);
    known = next;
  }

  const runNext = () =>
    void inTurn(takeCheckpoint)
      .catch((err: unknown) => logger.debug({ err, file }, 'checkpoints could not be written'))
      .finally(() => {
        if (!stopped) timer = setTimeout(runNext, intervalMs);
      });

  return {
    of: (tenant) => {
      const kept = known[tenant];
      return kept === undefined || isExpired(kept, wallMs(), retentionMs) ? undefined : kept;
    },
    countOf: async (tenant) => (tenant in (await read()) ? 1 : 0),
    remove: (tenant) =>
      inTurn(async () => {
        const { [tenant]: _removed, ...others } = known;
        await write(others);
      }),
    start: async () => {
      known = await read();
      timer = setTimeout(runNext, intervalMs);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Returns whether an account has more consumption than its checkpoint, or the same consumption and more corrections.
 * Neither value ever decreases. If the account has lower values than its checkpoint, Redis has lost writes, so the
 * checkpoint must be kept.
 */
function isLater(
  { consumedMs, limitedCorrections }: Pick<Account, 'consumedMs' | 'limitedCorrections'>,
  before: Checkpoint | undefined,
): boolean {
  if (before === undefined || consumedMs > before.consumedMs) return true;
  return consumedMs === before.consumedMs && limitedCorrections.length > (before.limitedCorrections?.length ?? 0);
}
