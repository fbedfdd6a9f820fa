import type { TenantPriority } from '@svc-asr/core';

/** A worker in the form in which it registers itself. */
export interface NewWorker {
  /** Id that is unique for each worker process. */
  id: string;
  /** Address for gateways, ws:// or wss://. Gateways of the previous version use only this address. */
  address: string;
  /** Addresses of the other I/O threads of the worker. Every address serves all slots. */
  furtherAddresses?: readonly string[];
  revision: string;
  /** Number of streams that the worker accepts now. The worker adapts this number to its speed. */
  slots: number;
  /** Slots that the worker measured at its start. Equal to `slots` if omitted. */
  measuredSlots?: number;
  /** Name of the GPU. Absent if the worker has none. */
  device?: string;
  /** Tier to which the worker belongs. Absent if the model has no tiers. */
  tier?: string;
  /** Contexts of the worker's model. Workers of earlier versions do not report them. */
  contexts?: readonly (readonly [left: number, right: number])[];
}

export interface WorkerRecord extends NewWorker {
  active: number;
  draining: boolean;
  leaseUntilMs: number;
}

/** A request to assign a stream to a worker. */
export interface PlaceRequest {
  sessionId: string;
  tenant: string;
  /** Ids of workers that must not get the stream, for example because the stream failed there. */
  avoid?: readonly string[];
  /**
   * Worker that still serves the stream, but drains or has too many streams. It must also be in `avoid`. The stream
   * counts at this worker until another worker has a free slot.
   */
  servedBy?: string;
  /** Id of the gateway that is notified when a queued stream gets a worker. */
  gateway?: string;
  /** Priority of the tenant. Normal if omitted. Every stream that lost its worker is served before all new streams. */
  priority?: TenantPriority;
}

/** The worker to which a stream was assigned. */
export type PlacedWorker = Pick<NewWorker, 'id' | 'address' | 'furtherAddresses' | 'revision'>;

export type Placement = { outcome: 'placed'; worker: PlacedWorker } | ({ outcome: 'wait' } & PoolState);

/** State of a pool that `status` events report to waiting clients. */
export interface PoolState {
  /** Slots of all workers that accept streams. */
  slots: number;
  /** State of workers that are being added. Empty if none are. */
  growth: PoolGrowthState | '';
}

/** What the workers that are being added to a pool wait for. `starting`: their own start. `provisioning`: a node. */
export type PoolGrowthState = 'starting' | 'provisioning';

/** How far a pool can grow. */
export interface PoolGrowth {
  /**
   * True if the pool accepts sessions for which it has no free slot yet. False if it accepts only as many sessions as
   * it has free slots.
   */
  canGrow: boolean;
  /** Slots of the pool at its maximum size. Undefined if the slots of a worker are unknown. */
  capacity?: number | undefined;
  /** State of workers that are being added. Undefined if none are. */
  growth?: PoolGrowthState | undefined;
  /** Names of the tiers, the preferred one first. Absent if the model has no tiers. */
  tiers?: readonly string[] | undefined;
}

/** Counts of streams on the workers of one revision. */
export interface RevisionTally {
  /** Number of streams that ended on a worker of the revision or moved away from it, for any reason. */
  streams: number;
  /** Number of streams that ended or moved away because their worker failed. */
  failures: number;
  /** Number of `delta` messages in each bucket of latencies. */
  latencies: readonly number[];
}

/** Load and capacity of a pool. */
export interface PoolLoad {
  /** Number of streams that have a slot. */
  active: number;
  /** Number of reserved sessions that may still connect. */
  held: number;
  /** Number of queued streams. */
  waiting: number;
  /** Number of sessions that were recently refused. Their clients are expected to retry. */
  refused: number;
  /** Slots of all workers that accept streams. */
  slots: number;
  workers: number;
  readAtMs: number;
}

/** A worker in the form that administrators see. */
export interface FleetWorker {
  id: string;
  revision: string;
  slots: number;
  active: number;
  draining: boolean;
  /** Name of the GPU. Null if the worker has none. */
  device: string | null;
  /** Tier of the worker. Null if the model has no tiers. */
  tier: string | null;
}

/** Pool of a model in the form that administrators see. */
export interface FleetPool extends Pick<PoolLoad, 'active' | 'held' | 'waiting' | 'refused' | 'slots'> {
  workers: FleetWorker[];
  /**
   * Shares of new sessions by revision, in percent. Without a rollout, the only revision has 100. Empty until the
   * operator has published shares.
   */
  shares: { revision: string; percent: number }[];
}

/** A gateway process in the form that administrators see. */
export interface FleetGateway {
  id: string;
  /** Number of records of streams that the process owns. A stream in a later session of its chain has two records. */
  streams: number;
  /** Number of further streams for which the process has audio memory. Null if the process has published no number. */
  freeStreams: number | null;
  leaseUntilMs: number;
}
