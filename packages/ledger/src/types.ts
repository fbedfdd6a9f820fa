import type { SessionState, TenantLimits, TenantState } from '@svc-asr/core';

/** Credit of a tenant in milliseconds of audio. available + reserved + consumed = granted, at every instant. */
export interface Balance {
  grantedMs: number;
  reservedMs: number;
  consumedMs: number;
  availableMs: number;
}

/** What the operator brings of a Tenant resource. */
export interface TenantSettings {
  displayName: string;
  state: TenantState;
  models: readonly string[];
  limits: TenantLimits;
}

/** Which state of which Tenant resource its settings are of. */
export interface TenantVersion {
  /** Of this very resource; one that is made again under its name has another. */
  uid: string;
  /** Grows with each change. */
  generation: number;
}

/** `Deleted`: the resource is gone, the account is kept for the retention time. */
export type AccountState = TenantState | 'Deleted';

/** An account as the operator and the console see it. */
export interface Account extends Balance {
  tenant: string;
  displayName: string;
  state: AccountState;
  models: string[];
  limits: TenantLimits;
  liveSessions: number;
}

/** A session as `recent_sessions` shows it. */
export interface SessionRecord {
  id: string;
  model: string;
  state: SessionState;
  audioMs: number;
  billableMs: number;
  createdAtMs: number;
  completedAtMs: number | null;
}

/** One API key as the gateway looks it up. */
export interface KeyRecord {
  tenant: string;
  hash: string;
  pepperId: string;
  expiresAtMs: number | null;
  revoked: boolean;
}

/** How a rate limit stands after a request: what RateLimit headers tell. */
export interface RateState {
  limit: number;
  remaining: number;
  /** Seconds until the whole limit is there again. */
  resetS: number;
}

/** A model as gateways know it. */
export interface CatalogueEntry {
  id: string;
  language: string;
  languageCode: string;
  maxAudioSeconds: number;
  maxWaitSeconds: number;
}

/** One line of a tenant's journal. */
export interface JournalEntry {
  /** Id of the stream entry: milliseconds of Redis TIME and a counter. */
  id: string;
  type: 'grant' | 'reserve' | 'cancel' | 'connect' | 'disconnect' | 'settle' | 'fail' | 'expire' | 'checkpoint';
  /** Session id, or grant id. */
  subject: string;
  /** Changes in milliseconds. */
  granted: number;
  reserved: number;
  consumed: number;
  /** Further facts: model, reason, audio_ms, … */
  detail: string;
}

/** What one model was used on one day. */
export interface DailyUsage {
  /** YYYY-MM-DD, in UTC. */
  day: string;
  model: string;
  sessions: number;
  audioMs: number;
  billableMs: number;
}

/** A worker as it registers itself. */
export interface NewWorker {
  /** Unique to the process. */
  id: string;
  /** Where gateways reach it: ws:// or wss://. */
  address: string;
  revision: string;
  /** Streams that it takes. */
  slots: number;
  /** Streams that it has already, when it registers again. */
  active?: number;
}

export interface WorkerRecord extends NewWorker {
  active: number;
  draining: boolean;
  leaseUntilMs: number;
}

/** A stream that needs a worker. */
export interface PlaceRequest {
  sessionId: string;
  tenant: string;
  /** Workers that failed this stream. */
  avoid?: readonly string[];
}

export type Placement =
  { outcome: 'placed'; worker: { id: string; address: string; revision: string } } | { outcome: 'wait' };

/** How streams fared on the workers of one revision. */
export interface RevisionTally {
  /** Streams that left one of its workers. */
  streams: number;
  /** Those of them that left because the worker failed. */
  failures: number;
  /** Latencies of deltas, counted in buckets. */
  latencies: readonly number[];
}

/** What is asked of a pool, and what it has. */
export interface PoolLoad {
  /** Streams on workers. */
  active: number;
  /** Sessions that are reserved and may connect. */
  held: number;
  /** Streams in the line. */
  waiting: number;
  /** Slots of all workers that take streams. */
  slots: number;
  workers: number;
  readAtMs: number;
}

/** What a rebuild of a missing ledger would restore, and from when. */
export interface RebuildPlan {
  /** The ledger that the resources belong to. */
  ledgerId: string;
  tenants: readonly {
    tenant: string;
    /** The sum of its grants. */
    grantedMs: number;
    /** What it had consumed at the checkpoint; undefined: there is none, and it gets all of its grants anew. */
    consumedMs?: number;
    checkpointAt?: string;
  }[];
}
