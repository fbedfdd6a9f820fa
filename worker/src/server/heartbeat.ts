/** Liveness state of a peer. */
export interface Heartbeat {
  /** Number of consecutive pings without an answer. */
  readonly missed: number;
}

export const MAX_MISSED = 2;

/**
 * Returns the state after another interval. `received` is true if data of the peer has arrived in this interval. If the
 * socket was not read, answers of the peer could not arrive. Such an interval resets the number of missed pings too.
 */
export function beat(before: Heartbeat, { received, reading }: { received: boolean; reading: boolean }): Heartbeat {
  return { missed: received || !reading ? 0 : before.missed + 1 };
}

/** Returns true if the peer has missed too many pings. */
export const isLost = ({ missed }: Heartbeat): boolean => missed >= MAX_MISSED;
