import { readFileSync } from 'node:fs';
import { ApiError } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from './repeat.ts';

/**
 * Whether this Redis is the one that holds the accounts. What is absent from an emptied or a wrong one says nothing: a
 * key is not unknown there, an account not closed.
 */
export interface LedgerWatch {
  /** Whether there was a first look. */
  checked: () => boolean;
  /** Throws 503 when the ledger was missing at the last look, or there was none yet. */
  require: () => void;
  /** Looks now; to be asked before a caller is told that something does not exist. */
  verify: () => Promise<void>;
  stop: () => void;
}

export interface LedgerWatchOptions {
  intervalMs: number;
  /** File with the id that must stand in Redis; empty: the first one that was seen. */
  idFile: string;
}

/** How often it is looked until there was an answer. */
const FIRST_INTERVAL_MS = 50;

/** Looks at the ledger's id again and again. */
export function watchLedger(ledger: Ledger, logger: Logger, options: LedgerWatchOptions): LedgerWatch {
  let first: string | undefined;
  let known = false;
  let missing = false;

  async function check(): Promise<void> {
    const found = await ledger.identity.read();
    const expected = readId(options.idFile) ?? first;
    const wrong = expected !== undefined && found !== expected;
    if (!wrong) first = found;
    if (wrong !== missing) logChange(logger, wrong, found);
    missing = wrong;
    known = true;
  }
  const requireLedger = () => {
    if (!known) throw new ApiError('service_unavailable', { message: 'The accounts are not known yet.' });
    if (missing) throw new ApiError('service_unavailable', { message: 'The accounts are being restored.' });
  };
  return {
    checked: () => known,
    require: requireLedger,
    verify: async () => {
      await check();
      requireLedger();
    },
    stop: repeat(logger, () => (known ? options.intervalMs : Math.min(options.intervalMs, FIRST_INTERVAL_MS)), check),
  };
}

function logChange(logger: Logger, wrong: boolean, found: string | undefined): void {
  if (!wrong) logger.info('the ledger is there again');
  else if (found === undefined)
    logger.error('Redis does not hold the ledger any more: it was emptied, or is another one');
  else logger.error({ reason: found }, 'Redis holds the ledger of another installation');
}

/** Written by the operator, and maybe not yet. */
function readId(file: string): string | undefined {
  if (file === '') return undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
