import type { Limits } from './latency-targets.ts';
import type { Ramp } from './ramp.ts';

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
  /** Virtual users of k6. They are more than the streams if slots may rise during the run. A user without a stream waits. */
  readonly users: number;
  readonly durationSeconds: number;
  readonly sessionSeconds: number;
  readonly spreadSeconds: number;
  readonly pauseMs: number;
  readonly frameMs: number;
  readonly limits: Limits;
  readonly spike: { readonly streams: number; readonly seconds: number };
  readonly noisyStreams: number;
  /** Null in all scenarios but ramp-to-saturation. */
  readonly ramp: Ramp | null;
  /** See the fields of the same name in scenarios.ts. */
  readonly requiresLatency: boolean;
  readonly mayBeRefused: boolean;
  readonly lagLimitMs: number;
  /** Address of k6's own REST API, from which a ramp reads its measurements. Empty in other scenarios. */
  readonly k6Url: string;
  /** Address of the gate that limits streams to the slots declared at each moment. Empty if their number is fixed. */
  readonly gateUrl: string;
  /** File to which k6 writes its metrics at the end. */
  readonly metricsFile: string;
}
