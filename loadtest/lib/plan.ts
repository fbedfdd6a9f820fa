import type { Limits } from './promises.ts';

/** Who speaks: a regular caller at the pace of speech, or one that sends as fast as it can. */
export type Role = 'regular' | 'noisy';

export interface Caller {
  readonly tenant: string;
  readonly key: string;
  readonly role: Role;
}

/** A recording; `text` is what is said in it. */
export interface Spoken {
  readonly file: string;
  readonly text: string;
}

/** All that a k6 script needs to know. It holds API keys: the file is its owner's alone and removed after the run. */
export interface Plan {
  readonly baseUrl: string;
  /** Replaces the origin of `websocket_url`; empty: it is taken as it is. */
  readonly streamOrigin: string;
  readonly model: string;
  readonly recordings: readonly Spoken[];
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
  /** Where a ramp asks how many streams are wanted; empty elsewhere. */
  readonly controlUrl: string;
}
