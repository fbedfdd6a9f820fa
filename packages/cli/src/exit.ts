import { SvcAsrError, SvcAsrStreamEnded, SvcAsrStreamError, SvcAsrUnreachable } from '@svc-asr/client';

/** Exit statuses of the command. The help and the README list them. */
export const EXIT = {
  ok: { status: 0, meaning: 'success' },
  refused: { status: 1, meaning: 'the service refused the request' },
  usage: { status: 2, meaning: 'invalid arguments, missing configuration, or a file that cannot be read or written' },
  unreachable: { status: 3, meaning: 'the service cannot be reached' },
  ended: { status: 4, meaning: 'the stream ended before the transcript was final' },
  partial: { status: 5, meaning: 'only the beginning of the audio was transcribed' },
  incomplete: { status: 6, meaning: 'data of a purged tenant may be left' },
  fault: { status: 70, meaning: 'internal error of the command' },
  interrupted: { status: 130, meaning: 'stopped with Ctrl-C' },
} as const;

/** Thrown if the user can fix the problem: arguments, configuration or files. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown if only part of the audio could be transcribed. */
export class PartialError extends Error {
  override readonly name = 'PartialError';
}

/** Thrown if the user stopped the command with Ctrl-C. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** Thrown if a purge could not prove that nothing is left. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
}

/** Description of an error for the user, and for programs with --json. */
export interface Explanation {
  status: number;
  message: string;
  /** Stable code of the cause: an error code of the service, or a code of the command itself. */
  code: string;
  /** Further facts for programs. */
  details?: Record<string, string | number | undefined>;
}

/** Returns exit status, message and code for an error. */
export function explain(error: unknown): Explanation {
  if (error instanceof UsageError) return own(EXIT.usage, 'invalid_usage', error);
  if (error instanceof PartialError) return own(EXIT.partial, 'partial_transcript', error);
  if (error instanceof InterruptedError) return own(EXIT.interrupted, 'interrupted', error);
  if (error instanceof IncompleteError) return own(EXIT.incomplete, 'purge_incomplete', error);
  if (error instanceof SvcAsrStreamEnded) {
    const { code: closeCode, reason, advice } = error;
    const message = `${error.message}${RETRY_HINTS[advice.retry]}`;
    const details = { close_code: closeCode, close_reason: reason, retry: advice.retry };
    return { status: EXIT.ended.status, message, code: 'stream_ended', details };
  }
  if (error instanceof SvcAsrStreamError) {
    return { status: EXIT.refused.status, message: `${error.message} (${error.code})`, code: error.code };
  }
  if (error instanceof SvcAsrUnreachable) {
    return {
      status: EXIT.unreachable.status,
      message: `${error.message}${hintOf(error.cause)}`,
      code: 'service_unreachable',
    };
  }
  if (error instanceof SvcAsrError) return explainRefusal(error);
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: EXIT.fault.status, message, code: 'internal_error' };
}

function own({ status }: { status: number }, code: string, { message }: Error): Explanation {
  return { status, message, code };
}

function explainRefusal({ message, code, status, type, requestId, retryAfterS }: SvcAsrError): Explanation {
  const request = requestId === undefined ? '' : `, request ${requestId}`;
  return {
    status: EXIT.refused.status,
    message: `${message} (${code}${request})${REFUSAL_HINTS[code] ?? ''}`,
    code,
    details: { type, http_status: status, request_id: requestId, retry_after_seconds: retryAfterS },
  };
}

/** Next steps for refusals that a user of the command can solve. */
const REFUSAL_HINTS: Readonly<Record<string, string>> = {
  invalid_api_key:
    '\nCheck that the key is complete and belongs to this service. SVC_ASR_API_KEY is used before the key of `npm start`.',
  model_not_found: '\n`svc-asr models` lists the models.',
};

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
