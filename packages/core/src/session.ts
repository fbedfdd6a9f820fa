/** States of a session, as `recent_sessions` reports them. */
export const SESSION_STATES = ['reserved', 'active', 'completed', 'failed', 'expired'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/**
 * Transitions between the states. Every transition happens once; terminal states never change.
 *
 * | from     | to        | when                                | charged                       |
 * |----------|-----------|-------------------------------------|-------------------------------|
 * | reserved | active    | handshake accepted                  |                               |
 * | reserved | expired   | no handshake before `expires_at`    | 0, all returned               |
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
