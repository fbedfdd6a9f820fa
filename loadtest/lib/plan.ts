import type { Limits } from './latency-targets.ts';
import type { Periods } from './periods.ts';
import type { Ramp } from './ramp.ts';

/** How a tenant behaves. A regular tenant streams in real time. A noisy tenant exceeds all of its limits. */
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
 * All data that a k6 script needs. The plan contains API keys. Its file is therefore readable only by its owner, and is
 * removed after the run.
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
  /**
   * Number of virtual users of k6. It is higher than the number of streams if the number of slots may increase during
   * the run. A user without a stream waits.
   */
  readonly users: number;
  readonly durationSeconds: number;
  readonly sessionSeconds: number;
  readonly spreadSeconds: number;
  readonly pauseMs: number;
  readonly frameMs: number;
  readonly limits: Limits;
  readonly spike: { readonly streams: number; readonly seconds: number };
  /** Null in all scenarios except noisy-tenant. */
  readonly periods: Periods | null;
  /** Factor by which a noisy tenant exceeds its limits. */
  readonly noiseFactor: number;
  /** Null in all scenarios except ramp-to-saturation. */
  readonly ramp: Ramp | null;
  /** `requiresLatency` and `mayBeRefused` are described in scenarios.ts. */
  readonly requiresLatency: boolean;
  readonly mayBeRefused: boolean;
  readonly lagLimitMs: number;
  /** Address of the REST API of k6 itself. A ramp reads its measurements there. Other scenarios do not use it. */
  readonly k6Url: string;
  /**
   * Address of the gate that limits the number of streams to the slots that the workers declare at the moment. Empty if
   * the number of streams is fixed.
   */
  readonly gateUrl: string;
  /** File to which k6 writes its metrics at the end of the run. */
  readonly metricsFile: string;
}
