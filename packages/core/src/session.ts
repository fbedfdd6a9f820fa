/** States of a session. `recent_sessions` reports them to tenants. */
export const SESSION_STATES = ['reserved', 'active', 'completed', 'failed', 'expired'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/** Reasons for the end of a session, as GET /v1/asr/sessions/{id} reports them. */
export const END_REASONS = {
  client_closed: 'The client closed the stream.',
  connection_lost: 'The connection to the client broke, or the client did not answer pings.',
  cancelled: 'The session was cancelled with DELETE.',
  audio_limit_reached: 'The reserved audio was used up.',
  session_time_limit: 'The stream reached its longest duration.',
  idle_timeout: 'The client sent no message for too long.',
  client_error: 'The client broke the protocol.',
  credential_expired: 'No stream was opened before the credential expired.',
  account_suspended: 'The account was suspended.',
  account_deleted: 'The account was deleted.',
  no_capacity: 'No recognition capacity became free in time.',
  draining: 'The server shut down.',
  service_error: 'The service failed.',
} as const;
export type EndReason = keyof typeof END_REASONS;

/** Reason and close code with which a session ended. */
export interface SessionEnd {
  reason: EndReason;
  /** Close code of the WebSocket. Null if no stream was closed, or if the close code is not known. */
  closeCode: number | null;
}

/**
 * Transitions between the states of a session. Every transition happens at most once. Terminal states never change. A
 * handshake that the gateway rolls back (disconnect.lua of the ledger) does not count as a transition.
 *
 * | from     | to        | when                                | charged                       |
 * |----------|-----------|-------------------------------------|-------------------------------|
 * | reserved | active    | handshake accepted                  |                               |
 * | reserved | expired   | no handshake before `expires_at`    | 0, all returned               |
 * | reserved | expired   | DELETE by the account               | 0, all returned               |
 * | reserved | failed    | the service is at fault             | 0, all returned               |
 * | active   | completed | any other end of the stream         | accepted audio, in whole s    |
 * | active   | failed    | the service is at fault             | 0, all returned               |
 */
export const TRANSITIONS: Readonly<Record<SessionState, readonly SessionState[]>> = {
  reserved: ['active', 'expired', 'failed'],
  active: ['completed', 'failed'],
  completed: [],
  failed: [],
  expired: [],
};
