import type { AsrModel } from '@svc-asr/core';

/** What the workers of one revision of a model are made from. */
export interface WorkerTemplate {
  model: string;
  revision: string;
  artifact: AsrModel['spec']['artifact'];
  worker: AsrModel['spec']['worker'];
}

/** A worker that runs, whether or not it takes sessions yet. */
export interface RunningWorker {
  id: string;
  model: string;
  revision: string;
  /** How long it has been running, as far as is known. */
  ageMs: number;
  /** It was told to end and has not ended yet. */
  stopping: boolean;
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

/** Where workers run: processes of this machine, or the pods of a cluster. Nothing in it waits for a worker but `close`. */
export interface WorkerRuntime {
  /** Finds again what an operator before this one left running; `onEnded` hears of every worker that ends. */
  open: (onEnded: (worker: EndedWorker) => void) => void;
  /** Models that have workers here, the deleted ones included. */
  models: () => string[];
  list: (model: string) => RunningWorker[];
  /** Has this many workers of the template's revision, those that stop not counted; never ends one. */
  ensure: (template: WorkerTemplate, count: number) => void;
  /** The worker was seen to take sessions: what it was made from can start. */
  confirm: (id: string) => void;
  /** Ends a worker, which moves the streams that it still has; `failure` says what is wrong with it, if anything. */
  stop: (id: string, failure?: string) => void;
  /** Why workers of this revision cannot be started; undefined: they can, for all that is known. */
  trouble: (template: WorkerTemplate) => string | undefined;
  /** Ends every worker; resolves when all are gone. */
  close: () => Promise<void>;
}

/** Workers that are started by other means than the operator: it sees them in the ledger alone. */
export function createForeignRuntime(): WorkerRuntime {
  return {
    open: () => undefined,
    models: () => [],
    list: () => [],
    ensure: () => undefined,
    confirm: () => undefined,
    stop: () => undefined,
    trouble: () => undefined,
    close: () => Promise.resolve(),
  };
}
