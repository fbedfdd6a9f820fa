import type { Deferred } from '../stream/deferred.ts';
import type { StreamConfig } from '../stream/options.ts';
import type { ConfigAckMessage, FinalMessage, ResetAckMessage } from '@svc-asr/core';

interface Placed {
  /** Number of samples that precede the call. */
  readonly at: number;
}

export interface FlushOperation extends Placed {
  readonly kind: 'flush';
  readonly reply: Deferred<FinalMessage>;
}

export interface ResetOperation extends Placed {
  readonly kind: 'reset';
  readonly reply: Deferred<ResetAckMessage>;
}

export interface ConfigOperation extends Placed {
  readonly kind: 'config';
  readonly config: StreamConfig;
  readonly reply: Deferred<ConfigAckMessage>;
}

/** A call of the application that waits for the reply of the service. A new session repeats it. */
export type Operation = FlushOperation | ResetOperation | ConfigOperation;
