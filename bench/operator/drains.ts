import type { WorkerRecord } from '@svc-asr/ledger';

/** Observes which workers the operator drains. */
export interface DrainWatch {
  /** Compares the workers of a model with those of the last call. */
  observe: (model: string, records: readonly WorkerRecord[]) => void;
  /**
   * Number of workers that the operator drained while they had streams, although another worker of the same revision
   * was idle. A worker counts as idle if it had no streams in the last observation before the drain and in the first
   * observation after it.
   */
  wrong: () => number;
  /** Number of all drained workers, and of those that had streams. */
  counts: () => { drained: number; busy: number };
}

/** Creates a watch without observations. */
export function createDrainWatch(): DrainWatch {
  const before = new Map<string, ReadonlyMap<string, WorkerRecord>>();
  let wrong = 0;
  let drained = 0;
  let busy = 0;
  return {
    observe: (model, records) => {
      const known = before.get(model);
      before.set(model, new Map(records.map((record) => [record.id, record])));
      // The operator chose the drained worker at some time between the two observations. A worker that was idle in both
      // observations counts as idle at that time.
      const idle = records.filter((record) => isIdle(record) && isIdle(known?.get(record.id)));
      for (const record of records) {
        const last = known?.get(record.id);
        if (!record.draining || last === undefined || last.draining) continue;
        drained++;
        if (record.active === 0 || last.active === 0) continue;
        busy++;
        if (idle.some(({ revision }) => revision === record.revision)) wrong++;
      }
    },
    wrong: () => wrong,
    counts: () => ({ drained, busy }),
  };
}

function isIdle(record: WorkerRecord | undefined): boolean {
  return record?.active === 0 && !record.draining;
}
