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
  /** Audio that the stream may use at first. If the stream has a chain, the chain reserves further audio later. */
  readonly reservedMs: number;
  /** The sessions of a stream that lasts longer than one session. */
  readonly chain?: StreamChain | undefined;
  /** Priority of the tenant. It determines the order of new streams that wait for a worker. */
  readonly priority: TenantPriority;
  /** Maximum time for which the session waits for a worker. */
  readonly maxWaitMs: number;
  /** Records the metrics and the trace of the stream. */
  readonly watch: StreamWatch;
}

/** Further audio that a stream may use, or the reason why there is none. */
export type Extension = { outcome: 'ok'; ms: number } | { outcome: Exclude<Chained['outcome'], 'ok'> | 'stopped' };

/** The sessions of a stream that lasts longer than one session. */
export interface StreamChain {
  /** Id of the session to which the current audio is charged. */
  readonly sessionId: string;
  /**
   * Reserves audio for the next part of the stream. Call it when the stream has used all audio that it may use.
   * `heldSamples` returns how much audio the stream keeps for a replay. That amount must not grow until the promise
   * resolves. Waits while Redis is unavailable or there is no audio memory.
   */
  extend: (heldSamples: () => number) => Promise<Extension>;
}

/** Durations that settings define for all streams. */
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

/** End of a stream with the values that the ledger needs. */
export interface StreamEnd {
  readonly outcome: 'completed' | 'failed';
  readonly reason: string;
  readonly samples: number;
  /** End of the session in the form that GET /v1/asr/sessions/{id} reports to the account. */
  readonly end: SessionEnd;
}
