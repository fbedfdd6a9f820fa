import type { Role } from './plan.ts';

/** One utterance, written when its final has arrived or the wait for it has timed out. Times are Unix milliseconds. */
export interface UtteranceRecord {
  readonly kind: 'utterance';
  readonly session: string;
  readonly role: Role;
  /** Context such as `56-13`, because k6 does not accept a comma in a tag. Empty if none was requested. */
  readonly context: string;
  readonly utterance: number;
  /** Time and latency of each delta. */
  readonly deltas: readonly (readonly [atMs: number, latencyMs: number])[];
  /** Time and latency of the final, or null if none arrived. */
  readonly final: readonly [atMs: number, latencyMs: number] | null;
  /** Delay of each frame after the time at which it was due. */
  readonly lagsMs: readonly number[];
  readonly words: number;
  readonly wordErrors: number;
}

/** A session that the service created. Written at once, so that sessions without an end are found. */
export interface CreatedRecord {
  readonly kind: 'created';
  readonly session: string;
  readonly tenant: string;
  readonly atMs: number;
}

/** One session, written when it has ended. */
export interface SessionRecord {
  readonly kind: 'session';
  readonly session: string;
  readonly tenant: string;
  readonly role: Role;
  readonly context: string;
  /** Duration of the POST request. */
  readonly createMs: number;
  readonly openedAtMs: number;
  /** Time from the start of the handshake to `ready`, or null if it did not arrive. */
  readonly readyMs: number | null;
  readonly endedAtMs: number;
  readonly samples: number;
  readonly utterances: number;
  readonly finals: number;
  /** Close code, or 0 if the connection failed without one. */
  readonly closeCode: number;
  /** Violations of the protocol. */
  readonly faults: readonly string[];
}

/** A session that the service refused to create. */
export interface RefusalRecord {
  readonly kind: 'refusal';
  readonly tenant: string;
  readonly role: Role;
  readonly atMs: number;
  /** HTTP status, or 0 without a response. */
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | null;
}

export type LoadRecord = CreatedRecord | UtteranceRecord | SessionRecord | RefusalRecord;
