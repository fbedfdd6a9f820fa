import { AUDIO } from '../audio.ts';

/** First subprotocol that clients offer. It is the only one that the server selects. */
export const STREAM_SUBPROTOCOL = 'svc.realtime.v1';

/**
 * Prefix of the credential of a session. Clients offer the credential as the second subprotocol. A credential works
 * only once.
 */
export const SESSION_CREDENTIAL_PREFIX = 'svc.auth.';

/**
 * Limits of the stream. The values in seconds are defaults, which settings or the model can change. The other values
 * are fixed.
 */
export const STREAM_LIMITS = {
  /** Maximum size of a binary frame. */
  maxFrameBytes: AUDIO.maxFrameBytes,
  /** Maximum size of a text message, in bytes of UTF-8. */
  maxMessageBytes: 16_384,
  /**
   * Maximum size of any message that the server reads. It exceeds the two limits above, so that messages slightly over
   * a limit get the error of that limit.
   */
  maxPayloadBytes: 131_072,
  /** Number of invalid messages after which the stream ends. Each one before is answered with an `error` event. */
  maxInvalidMessages: 10,
  /** Number of text messages per second that a client may send. */
  textMessagesPerSecond: 20,
  /** Number of text messages that a client may send at once after a pause. */
  textMessageBurst: 40,
  /**
   * Number of messages above the rate limit after which the stream ends. Each of these messages before the end is
   * answered with an `error` event.
   */
  maxRateLimitedMessages: 10,
  /** Range of the silence that ends an utterance, in milliseconds of audio. */
  minSilenceMs: 200,
  maxSilenceMs: 5000,
  /** Time after the creation of a session within which its credential must be used. */
  credentialSeconds: 60,
  /** Maximum time that a stream waits for a worker, unless the model sets another limit. */
  maxWaitSeconds: 120,
  /** Time without a message from the client after which the stream ends. */
  idleSeconds: 30,
  /** Interval of the server's pings. */
  pingSeconds: 20,
  /** Number of consecutive unanswered pings after which the peer counts as disconnected. */
  maxMissedPings: 2,
  /** Lifetime of a stream from `ready` on, in addition to its reserved audio. */
  extraSeconds: 300,
} as const;

/**
 * Limits of the phrases of a stream. The phrases must fit into the `open` message to a worker. `RELAY_LIMITS` limits
 * the size of this message.
 */
export const PHRASE_LIMITS = {
  maxPhrases: 50,
  /** Maximum number of characters of a phrase. */
  maxCharacters: 50,
  minBoost: 1,
  maxBoost: 10,
  defaultBoost: 5,
} as const;

/** Path that creates sessions, below the public address. */
export const SESSIONS_PATH = '/v1/asr/sessions';

/** Returns the path of a session. */
export function sessionPath(sessionId: string): string {
  return `${SESSIONS_PATH}/${sessionId}`;
}

/** Returns the path of a session's stream, below the public address. */
export function streamPath(sessionId: string): string {
  return `${sessionPath(sessionId)}/stream`;
}
