/**
 * Recommended reaction to a close. `new-session`: create a new session immediately. `after-wait`: create one after an
 * exponential backoff. `never`: a retry would end the same way, or nothing is left to do.
 */
export type RetryAdvice = 'new-session' | 'after-wait' | 'never';

/** Properties of a close code that the server sends. */
export interface CloseCode {
  readonly meaning: string;
  readonly retry: RetryAdvice;
  /** Whether accepted audio is charged. It is never charged after a failure of the service. */
  readonly charged: boolean;
  /** Recommended action of the client, as a sentence. */
  readonly action: string;
}

/** Close codes that the server sends. */
export const CLOSE_CODES = {
  1000: {
    meaning:
      'Done: the client closed, the session reached its audio or time limit, or it was cancelled (see the close reason).',
    retry: 'never',
    charged: true,
    action: 'Nothing. To send more audio, create a new session.',
  },
  1001: {
    meaning: 'The server is going away for maintenance. A `final` of what was buffered came before.',
    retry: 'new-session',
    charged: false,
    action: 'Create a new session and continue with the audio that follows the last `final`.',
  },
  1009: {
    meaning: 'A binary frame was larger than 65,536 bytes.',
    retry: 'never',
    charged: true,
    action: 'Send smaller frames; 100 ms of audio is 3,200 bytes.',
  },
  1011: {
    meaning: 'The service failed.',
    retry: 'new-session',
    charged: false,
    action: 'Create a new session and send the audio again.',
  },
  4400: {
    meaning:
      'The client broke the protocol: audio before `ready`, ten invalid messages, or ten messages over the rate.',
    retry: 'never',
    charged: true,
    action: 'Fix the client; the `error` event before the close describes the problem.',
  },
  4403: {
    meaning: 'The account was suspended. A `final` of what was buffered came before.',
    retry: 'never',
    charged: true,
    action: 'Ask the administrator of the service.',
  },
  4408: {
    meaning: 'No message came from the client for 30 seconds.',
    retry: 'new-session',
    charged: true,
    action: 'Create a new session when there is audio again; close a stream that has nothing to send.',
  },
  4503: {
    meaning: 'No recognition capacity became free in time.',
    retry: 'after-wait',
    charged: false,
    action: 'Wait, then create a new session; back off exponentially.',
  },
} as const satisfies Record<number, CloseCode>;

export type CloseCodeNumber = keyof typeof CLOSE_CODES;

/**
 * Close reasons that the server sends with 1000 and 1001. After a fatal `error` event, the reason is the code of that
 * event.
 */
export const CLOSE_REASONS = {
  audio_limit_reached: 'The reserved audio is used up (1000).',
  session_time_limit: 'The stream lived for its reserved audio plus 300 seconds (1000).',
  cancelled: 'The session was cancelled with DELETE; no `final` came before (1000).',
  draining: 'The server is going away (1001).',
} as const;

export type CloseReason = keyof typeof CLOSE_REASONS;

/** Returns whether the server sends this close code. */
export function isCloseCode(code: number): code is CloseCodeNumber {
  return Object.hasOwn(CLOSE_CODES, code);
}

/**
 * Returns the recommended reaction to a close code. For unknown codes, such as 1006 (no close frame), it is
 * `new-session`.
 */
export function retryAdvice(code: number): RetryAdvice {
  return isCloseCode(code) ? CLOSE_CODES[code].retry : 'new-session';
}
