/**
 * What a client does after a close: `new-session` at once, `after-wait` a new session after a pause that grows,
 * `never` because the same again would end the same way (or because all is done).
 */
export type RetryAdvice = 'new-session' | 'after-wait' | 'never';

/** One way in which the server ends a stream. */
export interface CloseCode {
  readonly meaning: string;
  readonly retry: RetryAdvice;
  /** Whether accepted audio is charged; a failure of the service never is. */
  readonly charged: boolean;
  /** What the client should do, in a sentence. */
  readonly action: string;
}

/** Every close code that the server sends. */
export const CLOSE_CODES = {
  1000: {
    meaning: 'Done: the client closed, or the session reached its audio or time limit (see the close reason).',
    retry: 'never',
    charged: true,
    action: 'Nothing. To send more audio, create a new session.',
  },
  1001: {
    meaning: 'The server is going away for maintenance. A `final` of what was buffered came before.',
    retry: 'new-session',
    charged: false,
    action: 'Create a new session and go on with the audio that follows the last `final`.',
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
    meaning: 'The client broke the protocol: audio before `ready`, or ten invalid messages.',
    retry: 'never',
    charged: true,
    action: 'Fix the client; the `error` event before the close says what was wrong.',
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

/** Close reasons that come with 1000 and 1001. Where a fatal `error` event came before, the reason is its code. */
export const CLOSE_REASONS = {
  audio_limit_reached: 'The reserved audio is used up (1000).',
  session_time_limit: 'The stream lived for its reserved audio plus 300 seconds (1000).',
  draining: 'The server is going away (1001).',
} as const;

export type CloseReason = keyof typeof CLOSE_REASONS;

/** True for a close code that the server sends. */
export function isCloseCode(code: number): code is CloseCodeNumber {
  return Object.hasOwn(CLOSE_CODES, code);
}

/** What a client should do after a close. Without a close frame (1006) the connection broke: a new session helps. */
export function retryAdvice(code: number): RetryAdvice {
  return isCloseCode(code) ? CLOSE_CODES[code].retry : 'new-session';
}
