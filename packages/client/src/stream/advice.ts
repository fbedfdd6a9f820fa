import { CLOSE_CODES, CLOSE_REASONS, isCloseCode, retryAdvice } from '@svc-asr/core/stream';
import type { CloseReason, RetryAdvice } from '@svc-asr/core';
import { SvcAsrError } from '../error.ts';

/** Meaning of the end of a stream, and what to do next. */
export interface ReconnectAdvice {
  /**
   * `new-session`: create a new session at once. `after-wait`: wait and back off first. `never`: a retry would fail
   * again, or nothing is left to do.
   */
  readonly retry: RetryAdvice;
  readonly meaning: string;
  /** What to do, as a sentence. */
  readonly action: string;
  /** Whether accepted audio is charged. Undefined if the client cannot know. */
  readonly charged: boolean | undefined;
}

/** How a stream ended. */
export interface StreamEnd {
  /**
   * The close code. If the connection broke or could not be opened, there was no close code, and this field is 1006. It
   * is 1000 if this client aborted the stream, or closed it before the connection was open.
   */
  readonly code: number;
  /** The close reason, for example `audio_limit_reached`. Often empty. */
  readonly reason: string;
  readonly advice: ReconnectAdvice;
  /**
   * Why the stream could not be opened. Absent if the stream was opened, or if this client ended it before it was open.
   */
  readonly error?: Error;
}

const BROKEN: Omit<ReconnectAdvice, 'retry'> = {
  meaning: 'The connection broke.',
  action: 'Create a new session and continue with the audio after the last `final`.',
  charged: undefined,
};

/** Returns what to do after a stream was closed. */
export function adviceAfterClose(code: number, reason: string): ReconnectAdvice {
  if (!isCloseCode(code)) return { ...BROKEN, retry: retryAdvice(code) };
  const { retry, meaning, action, charged } = CLOSE_CODES[code];
  const isKnown = (code === 1000 || code === 1001) && Object.hasOwn(CLOSE_REASONS, reason);
  return { retry, meaning: isKnown ? CLOSE_REASONS[reason as CloseReason] : meaning, action, charged };
}

/** Returns what to do after a stream could not be opened. */
export function adviceAfterRefusal(error: Error): ReconnectAdvice {
  const advice = (retry: RetryAdvice, action: string) => ({ retry, meaning: error.message, action, charged: false });
  if (!(error instanceof SvcAsrError)) {
    return advice('after-wait', 'Wait, then create a new session; back off exponentially.');
  }
  switch (error.code) {
    case 'invalid_session_credential':
      return advice('new-session', 'Create a new session. A credential works once, within 60 seconds.');
    case 'rate_limit_exceeded':
    case 'concurrency_limit_exceeded':
    case 'no_capacity':
    case 'service_unavailable':
      return advice('after-wait', 'Wait for the `retryAfterS` seconds of the error, then create a new session.');
    default:
      return error.status >= 500
        ? advice('after-wait', 'Wait, then create a new session; back off exponentially.')
        : advice('never', 'Fix the cause that the error describes.');
  }
}
