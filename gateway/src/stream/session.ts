import type { SessionEnd, TenantPriority } from '@svc-asr/core';
import type { Chained, Ledger } from '@svc-asr/ledger';
import type { FollowedFile, Logger, TicketKey } from '@svc-asr/runtime';
import type { StreamWatch } from '../telemetry/stream-watch.ts';
import type { RevisionTallies } from './recognition/revision-tallies.ts';
import type { Waiters } from './recognition/waiters.ts';
import type { Ticker } from './ticker.ts';
import type { WorkerConnections } from './recognition/worker-connections.ts';
import type { WorkerTrust } from './recognition/worker-trust.ts';

/** A session whose handshake was accepted. */
export interface StreamSession {
  readonly sessionId: string;
  readonly tenant: string;
  readonly model: string;
  readonly languageCode: string;
  /** Audio that the stream may use. It gets more from its chain. */
  readonly reservedMs: number;
  /** The sessions of a stream that lasts longer than one session. */
  readonly chain?: StreamChain | undefined;
  /** Priority of the tenant. It orders new streams that wait for a worker. */
  readonly priority: TenantPriority;
  /** Longest time that the session waits for a worker. */
  readonly maxWaitMs: number;
  /** Records the metrics and the trace of the stream. */
  readonly watch: StreamWatch;
}

/** Further audio of a stream, or why it gets none. */
export type Extension = { outcome: 'ok'; ms: number } | { outcome: Exclude<Chained['outcome'], 'ok'> | 'stopped' };

/** The sessions of a stream that lasts longer than one session. */
export interface StreamChain {
  /** Id of the session that is charged for the audio at this moment. */
  readonly sessionId: string;
  /**
   * Gets audio for the next part of the stream. Call it when the stream has used all audio that it got. `heldSamples`
   * returns the audio that the stream keeps for a replay, which must not grow until the promise is fulfilled. Waits while
   * Redis or the audio memory is unavailable.
   */
  extend: (heldSamples: () => number) => Promise<Extension>;
}

/** Durations of a stream. Each one is a setting. */
export interface StreamTimes {
  statusMs: number;
  workerOpenMs: number;
  workerSilenceMs: number;
  workerAnswerMs: number;
  workerAvoidMs: number;
  idleMs: number;
  pingMs: number;
  extraMs: number;
  finalMs: number;
  ticketMs: number;
}

/** Dependencies that all streams of a gateway share. */
export interface StreamParts {
  readonly ledger: Ledger;
  readonly ticketKey: Pick<FollowedFile<TicketKey>, 'current'>;
  readonly times: StreamTimes;
  readonly logger: Logger;
  readonly ticker: Ticker;
  readonly tallies: RevisionTallies;
  readonly waiters: Pick<Waiters, 'gateway' | 'join' | 'poolOf'>;
  readonly workerTrust: WorkerTrust;
  readonly workerConnections: WorkerConnections;
}

/** End of a stream, as the ledger needs it. */
export interface StreamEnd {
  readonly outcome: 'completed' | 'failed';
  readonly reason: string;
  readonly samples: number;
  /** End of the session, as GET /v1/asr/sessions/{id} reports it to the account. */
  readonly end: SessionEnd;
}
