import { isDeepStrictEqual } from 'node:util';
import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { Checkpoint } from './checkpoint.ts';
import { readWhole, writeWhole } from './whole-file.ts';

export interface Checkpoints {
  of: (tenant: string) => Checkpoint | undefined;
  start: () => Promise<void>;
  stop: () => void;
}

export interface FileCheckpointOptions {
  file: string;
  accounts: Pick<Ledger['accounts'], 'read'>;
  tenants: () => readonly string[];
  /** Whether the accounts in Redis are the right ones. */
  isSure: () => boolean;
  intervalMs: number;
  logger: Logger;
}

/** Writes down now and then what each tenant has consumed, where resources have no status to hold it. */
export function createFileCheckpoints(options: FileCheckpointOptions): Checkpoints {
  const { file, accounts, tenants, isSure, intervalMs, logger } = options;
  let known: Record<string, Checkpoint> = {};
  let timer: NodeJS.Timeout | undefined;

  async function take(): Promise<void> {
    if (!isSure()) return;
    const next = { ...known };
    for (const tenant of tenants()) {
      const account = await accounts.read(tenant);
      // What was consumed never falls: a lower figure is of an account that was lost.
      if (account === undefined || account.consumedMs <= (known[tenant]?.consumedMs ?? -1)) continue;
      next[tenant] = { consumedMs: account.consumedMs, checkpointAt: new Date().toISOString() };
    }
    if (isDeepStrictEqual(next, known)) return;
    await writeWhole(file, `${JSON.stringify(next, null, 2)}\n`);
    known = next;
  }

  const turn = () =>
    void take()
      .catch((err: unknown) => logger.debug({ err, file }, 'what tenants have consumed could not be written down'))
      .finally(() => (timer = setTimeout(turn, intervalMs)));

  return {
    of: (tenant) => known[tenant],
    start: async () => {
      known = JSON.parse((await readWhole(file)) ?? '{}') as typeof known;
      timer = setTimeout(turn, intervalMs);
    },
    stop: () => clearTimeout(timer),
  };
}
