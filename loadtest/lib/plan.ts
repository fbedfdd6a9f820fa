import type { Limits } from './latency-targets.ts';

/** How a tenant streams. A regular one streams at the pace of speech, a noisy one as fast as it can. */
export type Role = 'regular' | 'noisy';

export interface Caller {
  readonly tenant: string;
  readonly key: string;
  readonly role: Role;
}

/** A recording and its transcript. */
export interface Recording {
  readonly file: string;
  readonly text: string;
}

/**
 * Everything a k6 script needs. Contains API keys, so only the owner can read the file, and it is removed after the
 * run.
 */
export interface Plan {
  readonly baseUrl: string;
  /** Replaces the origin of `websocket_url`. If empty, the URL is used unchanged. */
  readonly streamOrigin: string;
  readonly model: string;
  readonly recordings: readonly Recording[];
  readonly callers: readonly Caller[];
  readonly contexts: readonly (readonly [number, number])[];
  readonly streams: number;
  readonly durationSeconds: number;
  readonly sessionSeconds: number;
  readonly spreadSeconds: number;
  readonly pauseMs: number;
  readonly frameMs: number;
  readonly limits: Limits;
  readonly spike: { readonly streams: number; readonly seconds: number };
  readonly noisyStreams: number;
  /** URL that returns the current number of streams of a ramp. Empty in other scenarios. */
  readonly controlUrl: string;
}
