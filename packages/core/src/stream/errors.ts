import type { CloseCodeNumber } from './close.ts';
import { STREAM_LIMITS } from './limits.ts';
import type { ErrorMessage } from './server.ts';

/** Properties of an error code of the stream. */
export interface StreamError {
  /** Close code with which the stream ends after the error. Undefined if the stream continues. */
  readonly close: CloseCodeNumber | undefined;
  /** True if the stream ends only after several errors of this code. Each code is counted separately. */
  readonly counts: boolean;
  /** Message if the caller gives no more specific one. */
  readonly message: string;
}

/** Values of `code` in `error` events. */
export const STREAM_ERRORS = {
  audio_before_ready: {
    close: 4400,
    counts: false,
    message: 'Audio came before "ready". Wait for "ready", then send audio.',
  },
  invalid_audio_frame: {
    close: undefined,
    counts: false,
    message: 'An audio frame has an odd number of bytes; it was not accepted. A sample has two bytes.',
  },
  frame_too_large: {
    close: 1009,
    counts: false,
    message: `A frame is larger than the ${STREAM_LIMITS.maxFrameBytes} bytes that audio may have. Send smaller frames.`,
  },
  invalid_message: {
    close: undefined,
    counts: true,
    message: 'The message is not one of config, flush, reset and keepalive as JSON text.',
  },
  rate_limited: {
    close: undefined,
    counts: true,
    message: `More than ${STREAM_LIMITS.textMessagesPerSecond} text messages per second arrived; this one was ignored. Send fewer.`,
  },
  invalid_config: {
    close: undefined,
    counts: false,
    message: 'The config names a language or context that the model does not have; nothing was changed.',
  },
  config_not_allowed: {
    close: undefined,
    counts: false,
    message: 'Audio of this utterance was already accepted. Send config before it, or after flush or reset.',
  },
  idle_timeout: {
    close: 4408,
    counts: false,
    message: `No message came for ${STREAM_LIMITS.idleSeconds} seconds.`,
  },
  account_suspended: {
    close: 4403,
    counts: false,
    message: 'The account was suspended. Ask the administrator of the service.',
  },
  no_capacity: {
    close: 4503,
    counts: false,
    message: 'No recognition capacity became free in time; nothing is charged. Wait, then create a new session.',
  },
  internal_error: {
    close: 1011,
    counts: false,
    message: 'The service failed; nothing is charged. Create a new session.',
  },
} as const satisfies Record<string, StreamError>;

export type StreamErrorCode = keyof typeof STREAM_ERRORS;

/** Effect of an error on a stream: the event to send, and the close code after it. */
export interface StreamErrorOutcome {
  readonly event: ErrorMessage;
  readonly close: CloseCodeNumber | undefined;
}

/** Returns after how many errors of a code the stream ends. Only for codes whose `counts` is true. */
function fatalOccurrence(code: StreamErrorCode): number {
  return code === 'rate_limited' ? STREAM_LIMITS.maxRateLimitedMessages : STREAM_LIMITS.maxInvalidMessages;
}

/** Returns the effect of an error on a stream that has had `earlier` errors of the same code. */
export function streamError(
  code: StreamErrorCode,
  earlier: number,
  message: string = STREAM_ERRORS[code].message,
): StreamErrorOutcome {
  const entry: StreamError = STREAM_ERRORS[code];
  const close = entry.counts && earlier + 1 >= fatalOccurrence(code) ? 4400 : entry.close;
  return { event: { type: 'error', code, message, fatal: close !== undefined }, close };
}
