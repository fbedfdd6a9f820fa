import type { Role } from './plan.ts';

/** One utterance, written when its final is there or was given up. Times are Unix milliseconds. */
export interface UtteranceRecord {
  readonly kind: 'utterance';
  readonly session: string;
  readonly role: Role;
  /** As `56-13` (k6 takes no comma there); empty where none was asked for. */
  readonly context: string;
  readonly utterance: number;
  /** Time and latency of each delta. */
  readonly deltas: readonly (readonly [atMs: number, latencyMs: number])[];
  /** Time and latency of the final; null: none came. */
  readonly final: readonly [atMs: number, latencyMs: number] | null;
  /** How late each frame was sent. */
  readonly lagsMs: readonly number[];
  readonly words: number;
  readonly wordErrors: number;
}

/** A session that the service made, written at once. */
export interface BegunRecord {
  readonly kind: 'begun';
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
  /** How long POST took. */
  readonly createMs: number;
  readonly openedAtMs: number;
  /** From the handshake's start to `ready`; null: it did not come. */
  readonly readyMs: number | null;
  readonly endedAtMs: number;
  readonly samples: number;
  readonly utterances: number;
  readonly finals: number;
  /** 0 when the connection broke off without one. */
  readonly closeCode: number;
  /** Everything that went against the protocol, in words. */
  readonly faults: readonly string[];
}

/** A session that the service did not make. */
export interface RefusalRecord {
  readonly kind: 'refusal';
  readonly tenant: string;
  readonly role: Role;
  readonly atMs: number;
  /** 0: no answer at all. */
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | null;
}

export type LoadRecord = BegunRecord | UtteranceRecord | SessionRecord | RefusalRecord;
