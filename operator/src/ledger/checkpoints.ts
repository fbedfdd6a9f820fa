import { isDeepStrictEqual } from 'node:util';
import type { Ledger } from '@svc-asr/ledger';
import { readWhole, writeDurably } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { Checkpoint } from './checkpoint.ts';
import { isOver, markGone } from './kept.ts';
import type { Kept } from './kept.ts';

export interface Checkpoints {
  of: (tenant: string) => Checkpoint | undefined;
  start: () => Promise<void>;
  stop: () => void;
}

export interface FileCheckpointOptions {
  file: string;
  accounts: Pick<Ledger['accounts'], 'read'>;
  tenants: () => readonly string[];
  /** Whether a tenant that is not among them was deleted for certain. */
  isSettled: () => boolean;
  /** Whether the accounts in Redis are the right ones. */
  isSure: () => boolean;
  /** How long the account of a deleted tenant is kept, to be resumed. */
  retentionMs: number;
  intervalMs: number;
  logger: Logger;
  /** Milliseconds since 1970. */
  wallMs?: () => number;
}

/** Writes down now and then what each tenant has consumed, where resources have no status to hold it. */
export function createFileCheckpoints(options: FileCheckpointOptions): Checkpoints {
  const { file, accounts, tenants, isSettled, isSure, retentionMs, intervalMs, logger, wallMs = Date.now } = options;
  let known: Kept = {};
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function take(): Promise<void> {
    if (!isSure()) return;
    const present = new Set(tenants());
    const next = isSettled() ? markGone(known, present, wallMs(), retentionMs) : { ...known };
    for (const tenant of present) {
      const account = await accounts.read(tenant);
      // What was consumed never falls: a lower figure is of an account that was lost.
      if (account === undefined || account.consumedMs <= (next[tenant]?.consumedMs ?? -1)) continue;
      next[tenant] = { consumedMs: account.consumedMs, checkpointAt: new Date(wallMs()).toISOString() };
    }
    if (isDeepStrictEqual(next, known)) return;
    await writeDurably(file, `${JSON.stringify(next, null, 2)}\n`);
    known = next;
  }

  const turn = () =>
    void take()
      .catch((err: unknown) => logger.debug({ err, file }, 'what tenants have consumed could not be written down'))
      .finally(() => {
        if (!stopped) timer = setTimeout(turn, intervalMs);
      });

  return {
    of: (tenant) => {
      const kept = known[tenant];
      return kept === undefined || isOver(kept, wallMs(), retentionMs) ? undefined : kept;
    },
    start: async () => {
      known = JSON.parse((await readWhole(file)) ?? '{}') as Kept;
      timer = setTimeout(turn, intervalMs);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
