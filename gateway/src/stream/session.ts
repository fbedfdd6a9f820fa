import type { Ledger } from '@svc-asr/ledger';
import type { Keyring, Logger } from '@svc-asr/runtime';
import type { StreamWatch } from '../telemetry/stream-watch.ts';
import type { RevisionTallies } from './recognition/revision-tallies.ts';
import type { Ticker } from './ticker.ts';
import type { WorkerTrust } from './recognition/worker-trust.ts';

/** A session whose handshake was accepted. */
export interface StreamSession {
  readonly sessionId: string;
  readonly tenant: string;
  readonly model: string;
  readonly languageCode: string;
  readonly reservedMs: number;
  /** How long it waits for a worker. */
  readonly maxWaitMs: number;
  /** Told what metrics and traces want to know. */
  readonly watch: StreamWatch;
}

/** Durations of a stream; every one is a setting. */
export interface StreamTimes {
  statusMs: number;
  placeMs: number;
  gatherMs: number;
  workerOpenMs: number;
  workerSilenceMs: number;
  workerAvoidMs: number;
  idleMs: number;
  pingMs: number;
  extraMs: number;
  finalMs: number;
  ticketMs: number;
}

/** What all streams of a gateway share. */
export interface StreamParts {
  readonly ledger: Ledger;
  readonly tickets: Keyring;
  readonly times: StreamTimes;
  readonly logger: Logger;
  readonly ticker: Ticker;
  readonly tallies: RevisionTallies;
  readonly workerTrust: WorkerTrust;
}

/** How a stream ended, for the ledger. */
export interface StreamEnd {
  readonly outcome: 'completed' | 'failed';
  readonly reason: string;
  readonly samples: number;
}
