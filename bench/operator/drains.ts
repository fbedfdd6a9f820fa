import type { WorkerRecord } from '@svc-asr/ledger';

/** Watches who is sent away. */
export interface DrainWatch {
  /** Takes a look at the workers of a model, and at who was sent away since the last one. */
  look: (model: string, records: readonly WorkerRecord[]) => void;
  /** Workers that were sent away with streams while one of the same revision had none, before and after. */
  wrong: () => number;
  /** All that were sent away, and those of them that had streams. */
  counts: () => { drained: number; busy: number };
}

/** Makes a watch that has seen nothing. */
export function createDrainWatch(): DrainWatch {
  const before = new Map<string, ReadonlyMap<string, WorkerRecord>>();
  let wrong = 0;
  let drained = 0;
  let busy = 0;
  return {
    look: (model, records) => {
      const known = before.get(model);
      before.set(model, new Map(records.map((record) => [record.id, record])));
      // Who had no stream at both looks had none when the operator chose, some time in between.
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
