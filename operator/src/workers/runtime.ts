import type { AsrModel } from '@svc-asr/core';
import type { ScaleUpdate } from './pool/scale-update.ts';

/** What the workers of one revision of a model are made from. */
export interface WorkerTemplate {
  model: string;
  revision: string;
  artifact: AsrModel['spec']['artifact'];
  worker: AsrModel['spec']['worker'];
  /** How long a worker that goes away may take to hand over or finish its streams. */
  drainSeconds: number;
  /** Of the model's resource, where it has one. */
  uid?: string;
}

/** Names a revision. */
export type Revision = Pick<WorkerTemplate, 'model' | 'revision'>;

/** A worker that runs, whether or not it takes sessions yet. */
export interface RunningWorker {
  id: string;
  model: string;
  revision: string;
  /** How long it has been running, as far as is known. */
  ageMs: number;
  /** It was told to end and has not ended yet. */
  stopping: boolean;
  /** Something else is replacing it just now: who goes is not for the pool to choose. */
  pinned?: boolean;
}

/** A worker that runs no more. */
export interface EndedWorker {
  id: string;
  model: string;
  /** How it ended, as people read it. */
  how: string;
  /** Whether it was told to. */
  asked: boolean;
}

/** Why workers cannot be started. */
export interface StartFailure {
  /** One word for it, as conditions have it. */
  reason: string;
  /** A sentence for people. */
  message: string;
}

/** Where workers run: processes of this machine, or the pods of a cluster. Nothing in it waits for a worker but `close`. */
export interface WorkerRuntime {
  /**
   * Finds again what an operator before this one left running; `onEnded` hears of every worker that ends, `onChanged` of
   * every model whose workers, or what they need, may not be what they were.
   */
  open: (onEnded: (worker: EndedWorker) => void, onChanged: (model: string) => void) => Promise<void> | void;
  /** What a model's workers are made from here, and the name of its revision. */
  template: (model: AsrModel) => WorkerTemplate;
  /** Models that have workers here, the deleted ones included. */
  models: () => string[];
  list: (model: string) => RunningWorker[];
  /** Has this many workers of the template's revision, those that stop not counted; never ends one. */
  ensure: (template: WorkerTemplate, count: number) => void;
  /** The same for a revision that is no longer what the model says, as far as workers of it can still be started. */
  keep: (model: string, revision: string, count: number) => void;
  /** Only these revisions are needed any more: what is left of others goes when their last worker has. */
  forget: (model: string, needed: readonly string[]) => void;
  /** Has this written into the resource of a model; undefined: nothing, what was to be written before included. */
  writeScale: (model: string, scale: ScaleUpdate | undefined) => void;
  /** The worker was seen to take sessions: what it was made from can start. */
  confirm: (id: string) => void;
  /** Ends a worker, which moves the streams that it still has; `failure` says what is wrong with it, if anything. */
  stop: (id: string, failure?: string) => void;
  /** Why workers of this revision cannot be started; undefined: they can, for all that is known. */
  startFailure: (of: Revision) => StartFailure | undefined;
  /** Lets go of the workers: processes end, pods stay. Resolves when nothing is left to do. */
  close: () => Promise<void>;
}
