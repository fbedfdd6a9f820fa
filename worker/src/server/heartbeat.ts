/** Signs of life of a peer between two looks. */
export interface Heartbeat {
  /** Pings in a row that nothing followed. */
  readonly missed: number;
}

export const MAX_MISSED = 2;

/** The state after another interval. A peer that is not being read cannot answer, so that time is not held against it. */
export function beat(before: Heartbeat, { heard, reading }: { heard: boolean; reading: boolean }): Heartbeat {
  return { missed: heard || !reading ? 0 : before.missed + 1 };
}

/** True for a peer that is gone. */
export const isGone = ({ missed }: Heartbeat): boolean => missed >= MAX_MISSED;
