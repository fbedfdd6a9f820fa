import { AUDIO } from '../audio.ts';

/** First subprotocol of the stream. The server selects only this one. */
export const STREAM_SUBPROTOCOL = 'svc.realtime.v1';

/** Prefix of the second subprotocol, which is the credential of the session: a secret that works once. */
export const SESSION_CREDENTIAL_PREFIX = 'svc.auth.';

/** Limits of the stream. Durations are defaults of settings. The other values are fixed by the interface. */
export const STREAM_LIMITS = {
  /** Maximum size of a binary frame. */
  maxFrameBytes: AUDIO.maxFrameBytes,
  /** Maximum size of a text message, in bytes of UTF-8. */
  maxMessageBytes: 16_384,
  /**
   * Maximum size of any message that is read. Larger than the limits above, so that messages slightly over them get
   * their own error.
   */
  maxPayloadBytes: 131_072,
  /** Number of invalid messages that end the stream. Each one before is answered with an `error`. */
  maxInvalidMessages: 10,
  /** Number of text messages per second that a client may send. */
  textMessagesPerSecond: 20,
  /** Number of text messages that a client may send at once after a pause. */
  textMessageBurst: 40,
  /** Number of text messages over the rate that end the stream. Each one before is answered with an `error`. */
  maxRateLimitedMessages: 10,
  /** Smallest and largest silence of endpointing, in milliseconds of audio. */
  minSilenceMs: 200,
  maxSilenceMs: 5000,
  /** Lifetime of a credential after the session was created. */
  credentialSeconds: 60,
  /** Maximum time that a stream waits for a worker, unless the model sets another. */
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
