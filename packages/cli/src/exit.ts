import { SvcAsrError, SvcAsrStreamEnded, SvcAsrStreamError, SvcAsrUnreachable } from '@svc-asr/client';

/** Exit statuses of the command. The help and the README list them. */
export const EXIT = {
  ok: { status: 0, meaning: 'success' },
  refused: { status: 1, meaning: 'the service refused the request' },
  usage: { status: 2, meaning: 'invalid arguments, missing configuration, or a file that cannot be read or written' },
  unreachable: { status: 3, meaning: 'the service cannot be reached' },
  ended: { status: 4, meaning: 'the stream ended before the transcript was final' },
  partial: { status: 5, meaning: 'only the beginning of the audio was transcribed' },
  incomplete: { status: 6, meaning: 'something of a purged tenant may be left' },
  fault: { status: 70, meaning: 'internal error of the command' },
} as const;

/** Thrown if the user can fix the problem: arguments, configuration or files. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown if only part of the audio could be transcribed. */
export class PartialError extends Error {
  override readonly name = 'PartialError';
}

/** Thrown if a purge could not prove that nothing is left. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
}

/** Returns message and exit status for an error. */
export function explain(error: unknown): { status: number; message: string } {
  if (error instanceof UsageError) return { status: EXIT.usage.status, message: error.message };
  if (error instanceof PartialError) return { status: EXIT.partial.status, message: error.message };
  if (error instanceof IncompleteError) return { status: EXIT.incomplete.status, message: error.message };
  if (error instanceof SvcAsrStreamEnded) {
    return { status: EXIT.ended.status, message: `${error.message}${RETRY_HINTS[error.advice.retry]}` };
  }
  if (error instanceof SvcAsrStreamError) {
    return { status: EXIT.refused.status, message: `${error.message} (${error.code})` };
  }
  if (error instanceof SvcAsrUnreachable) {
    return { status: EXIT.unreachable.status, message: `${error.message}${hintOf(error.cause)}` };
  }
  if (error instanceof SvcAsrError) {
    const request = error.requestId === undefined ? '' : `, request ${error.requestId}`;
    return { status: EXIT.refused.status, message: `${error.message} (${error.code}${request})` };
  }
  return {
    status: EXIT.fault.status,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

const RETRY_HINTS = {
  'new-session': '\nRun the command again.',
  'after-wait': '\nTry again later.',
  never: '',
} as const;

function hintOf(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (typeof code !== 'string') return '';
  if (code === 'ECONNREFUSED') return '\nCheck that the service is running. `npm start` runs it on this machine.';
  if (/CERT|VERIFY|ISSUER/.test(code)) {
    return '\nSet the CA certificate of the service with --ca FILE or SVC_ASR_CA_FILE.';
  }
  return '';
}
