import { SvcAsrError, SvcAsrStreamEnded, SvcAsrStreamError, SvcAsrUnreachable } from '@svc-asr/client';

/** The exit codes of the command, as its help lists them. */
export const EXIT = {
  ok: { status: 0, meaning: 'done' },
  refused: { status: 1, meaning: 'the service refused' },
  usage: { status: 2, meaning: 'wrong arguments, missing configuration, or a file that cannot be read or written' },
  unreachable: { status: 3, meaning: 'the service cannot be reached' },
  ended: { status: 4, meaning: 'the stream ended before the transcript was final' },
  partial: { status: 5, meaning: 'only the beginning of the audio was transcribed' },
  fault: { status: 70, meaning: 'a fault of the command itself' },
} as const;

/** The person at the keyboard can put it right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The work is done as far as it could be. */
export class PartialError extends Error {
  override readonly name = 'PartialError';
}

/** What to say of an error, and the status to end with. */
export function explain(error: unknown): { status: number; message: string } {
  if (error instanceof UsageError) return { status: EXIT.usage.status, message: error.message };
  if (error instanceof PartialError) return { status: EXIT.partial.status, message: error.message };
  if (error instanceof SvcAsrStreamEnded) {
    return { status: EXIT.ended.status, message: `${error.message}${AGAIN[error.advice.retry]}` };
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

const AGAIN = {
  'new-session': '\nRun the command again.',
  'after-wait': '\nTry again in a while.',
  never: '',
} as const;

function hintOf(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (typeof code !== 'string') return '';
  if (code === 'ECONNREFUSED') return '\nIs the service running? `npm start` runs it on this machine.';
  if (/CERT|VERIFY|ISSUER/.test(code)) {
    return '\nGive the certificate authority of the service with --ca FILE or SVC_ASR_CA_FILE.';
  }
  return '';
}
