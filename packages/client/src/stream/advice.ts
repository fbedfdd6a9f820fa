import { CLOSE_CODES, CLOSE_REASONS, isCloseCode, retryAdvice } from '@svc-asr/core/stream';
import type { CloseReason, RetryAdvice } from '@svc-asr/core';
import { SvcAsrError } from '../error.ts';

/** What the end of a stream means and what to do next. */
export interface ReconnectAdvice {
  /** `new-session` at once, `after-wait` a new session after a pause that grows, `never`: it would end the same way. */
  readonly retry: RetryAdvice;
  readonly meaning: string;
  /** What to do, in a sentence. */
  readonly action: string;
  /** Whether accepted audio is charged; undefined: it cannot be told from here. */
  readonly charged: boolean | undefined;
}

/** How a stream ended. */
export interface StreamEnd {
  /** The close code; 1006 when there was none: the connection broke, or was never made. */
  readonly code: number;
  /** The close reason, for example `audio_limit_reached`; often empty. */
  readonly reason: string;
  readonly advice: ReconnectAdvice;
  /** Why the stream could not be opened; absent when it was. */
  readonly error?: Error;
}

const BROKEN: Omit<ReconnectAdvice, 'retry'> = {
  meaning: 'The connection broke.',
  action: 'Create a new session and go on with the audio that follows the last `final`.',
  charged: undefined,
};

/** What to do after a close. */
export function adviceAfterClose(code: number, reason: string): ReconnectAdvice {
  if (!isCloseCode(code)) return { ...BROKEN, retry: retryAdvice(code) };
  const { retry, meaning, action, charged } = CLOSE_CODES[code];
  const isKnown = (code === 1000 || code === 1001) && Object.hasOwn(CLOSE_REASONS, reason);
  return { retry, meaning: isKnown ? CLOSE_REASONS[reason as CloseReason] : meaning, action, charged };
}

/** What to do when a stream could not be opened. */
export function adviceAfterRefusal(error: Error): ReconnectAdvice {
  const advice = (retry: RetryAdvice, action: string) => ({ retry, meaning: error.message, action, charged: false });
  if (!(error instanceof SvcAsrError)) {
    return advice('after-wait', 'Wait, then create a new session; back off exponentially.');
  }
  switch (error.code) {
    case 'invalid_session_credential':
      return advice('new-session', 'Create a new session: a credential works once, for 60 seconds.');
    case 'rate_limit_exceeded':
    case 'concurrency_limit_exceeded':
    case 'no_capacity':
    case 'service_unavailable':
      return advice('after-wait', 'Wait as long as `retryAfterS` of the error says, then create a new session.');
    default:
      return error.status >= 500
        ? advice('after-wait', 'Wait, then create a new session; back off exponentially.')
        : advice('never', 'Put right what the error says.');
  }
}
