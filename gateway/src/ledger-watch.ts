import { readFileSync } from 'node:fs';
import { ApiError } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from './repeat.ts';

/**
 * Checks that Redis holds the ledger of this installation. If Redis was emptied or is the wrong one, existing keys and
 * accounts are missing in it. The gateway must then not report that they do not exist.
 */
export interface LedgerWatch {
  /** Returns true once the ledger was checked for the first time. */
  checked: () => boolean;
  /** Returns true if Redis held the ledger at the last check. */
  isAvailable: () => boolean;
  /** Throws 503 if the ledger was missing at the last check, or was not checked yet. */
  require: () => void;
  /**
   * Checks the ledger now and throws 503 like `require`. Call it before you report to a caller that something does not
   * exist.
   */
  verify: () => Promise<void>;
  stop: () => void;
}

export interface LedgerWatchOptions {
  intervalMs: number;
  /**
   * File with the ledger id that Redis must hold. If the file name is empty or the file does not exist yet, the first
   * id that is read from Redis becomes the expected one.
   */
  idFile: string;
}

/** Interval of the checks until one of them has succeeded. */
const FIRST_INTERVAL_MS = 50;

/** Starts to check the ledger id at intervals. */
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
    if (!known) throw new ApiError('service_unavailable', { message: 'Account data is not available yet.' });
    if (missing) throw new ApiError('service_unavailable', { message: 'Account data is being restored.' });
  };
  return {
    checked: () => known,
    isAvailable: () => known && !missing,
    require: requireLedger,
    verify: async () => {
      await check();
      requireLedger();
    },
    stop: repeat(logger, () => (known ? options.intervalMs : Math.min(options.intervalMs, FIRST_INTERVAL_MS)), check),
  };
}

function logChange(logger: Logger, wrong: boolean, found: string | undefined): void {
  if (!wrong) logger.info('Redis holds the ledger again');
  else if (found === undefined) logger.error('Redis no longer holds the ledger: it was emptied or replaced');
  else logger.error({ reason: found }, 'Redis holds the ledger of another installation');
}

/** Returns the ledger id in a file. Undefined if the operator has not written the file yet. */
function readId(file: string): string | undefined {
  if (file === '') return undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
