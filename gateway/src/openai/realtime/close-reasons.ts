import { ApiError } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { ErrorDetail } from './server-events.ts';

/** Close codes of a realtime connection. */
export const CLOSE = { done: 1000, tooLarge: 1009, refused: 1008, retry: 1013 } as const;

/**
 * Close frame of a connection, and the `error` event before it. A client that should reconnect gets no `error` event,
 * because some clients treat this event as fatal.
 */
export interface Closing {
  readonly code: number;
  readonly reason: string;
  readonly error?: ErrorDetail;
}

const MISSING_MODEL =
  'No model was selected. Send session.update with audio.input.transcription.model, or add the query parameter "model".';
const SUSPENDED = 'The account was suspended. Ask the administrator of the service.';

/**
 * Returns how to close a connection that cannot continue. `cause` is an error, the reason with which the stream ended,
 * or a reason of the recognizer, such as `missing_model`.
 */
export function closingFor(cause: string | Error): Closing {
  if (cause instanceof ApiError && cause.status < 500 && cause.status !== 429) {
    const { type, code, message } = cause;
    return { code: CLOSE.refused, reason: code, error: { type, code, message } };
  }
  if (cause instanceof ApiError) return { code: CLOSE.retry, reason: cause.code };
  if (cause instanceof LedgerUnavailable) return { code: CLOSE.retry, reason: 'service_unavailable' };
  switch (cause) {
    case 'missing_model':
      return refused('invalid_request_error', cause, MISSING_MODEL);
    case 'audio_limit_reached':
      return closingFor(new ApiError('insufficient_credits'));
    case 'account_suspended':
      return refused('permission_error', cause, SUSPENDED);
    case 'cancelled':
    case 'session_time_limit':
      return { code: CLOSE.done, reason: cause };
    default:
      return { code: CLOSE.retry, reason: typeof cause === 'string' ? cause : 'internal_error' };
  }
}

function refused(type: string, code: string, message: string): Closing {
  return { code: CLOSE.refused, reason: code, error: { type, code, message } };
}
