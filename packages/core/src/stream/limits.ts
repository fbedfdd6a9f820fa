import { AUDIO } from '../audio.ts';

/** First subprotocol of the stream; the server answers with this one alone. */
export const STREAM_SUBPROTOCOL = 'svc.realtime.v1';

/** How the second subprotocol begins: the credential of the session, a secret that works once. */
export const SESSION_CREDENTIAL_PREFIX = 'svc.auth.';

/** Limits of the stream. Durations are the defaults of settings; the rest is fixed by the interface. */
export const STREAM_LIMITS = {
  /** Largest binary frame. */
  maxFrameBytes: AUDIO.maxFrameBytes,
  /** Largest text message, in bytes of UTF-8. */
  maxMessageBytes: 16_384,
  /** Of whatever kind; more than the limits above, so that what is somewhat too large gets its own answer. More is not read. */
  maxPayloadBytes: 131_072,
  /** So many invalid messages end the stream; the ones before are answered and forgiven. */
  maxInvalidMessages: 10,
  /** How long a credential works after the session was created. */
  credentialSeconds: 60,
  /** How long a stream waits for a worker where the model does not say otherwise. */
  maxWaitSeconds: 120,
  /** Without any message from the client for so long the stream ends. */
  idleSeconds: 30,
  /** How often the server pings. */
  pingSeconds: 20,
  /** A peer that leaves so many pings in a row unanswered is gone. */
  maxMissedPings: 2,
  /** A stream lives at most its reserved audio and this, from `ready` on. */
  extraSeconds: 300,
} as const;

/** Path that creates sessions, below the public address. */
export const SESSIONS_PATH = '/v1/asr/sessions';

/** Returns the path of a session's stream, below the public address. */
export function streamPath(sessionId: string): string {
  return `${SESSIONS_PATH}/${sessionId}/stream`;
}
