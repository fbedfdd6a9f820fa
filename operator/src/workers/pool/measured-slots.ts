import { settleSlots } from '@svc-asr/core';
import type { AsrModel } from '@svc-asr/core';
import type { WorkerRecord } from '@svc-asr/ledger';
import type { Measurements, SlotsMemory } from './slots-memory.ts';

/**
 * Number of measurements that are remembered for a model. After a rollback, the measurement of the earlier revision is
 * still available.
 */
const MAX_MEASUREMENTS = 32;

/**
 * The slots that the workers of a model measured. A pool without workers needs them to decide how many workers to
 * start. They must survive a restart of the operator. They are stored in a file if workers are local processes, and in
 * the status of the ASRModel otherwise.
 */
export class MeasuredSlots {
  readonly #model: string;
  readonly #memory: SlotsMemory;
  /** Undefined until the model is known. */
  #measurements: Measurements | undefined;

  constructor(model: string, memory: SlotsMemory) {
    this.#model = model;
    this.#memory = memory;
  }

  get all(): Measurements {
    return this.#measurements ?? [];
  }

  /** Reads the measurements that an earlier operator stored. Only the first call has an effect. */
  restore({ spec, status }: AsrModel): void {
    const { measuredSlots, revision, slotsPerWorker: slots } = status ?? {};
    // An operator of an earlier version stored only one number. If the spec sets the slots, that number was not
    // measured.
    const isMeasured = spec.worker.slots === 0 && slots !== undefined && slots > 0;
    const single = revision === undefined || !isMeasured ? [] : [{ revision, slots }];
    this.#measurements ??= this.#memory.get(this.#model) ?? measuredSlots ?? single;
  }

  /** Records the slots of the workers that accept sessions. */
  record(workers: readonly WorkerRecord[]): void {
    if (this.#measurements === undefined) return;
    const measurements = addMeasurements(this.#measurements, workers);
    if (measurements === this.#measurements) return;
    this.#measurements = measurements;
    this.#memory.put(this.#model, measurements);
  }

  /** Returns the expected slots of the next worker of a revision and tier. Undefined if no worker has measured them. */
  recall(revision: string | undefined, tier?: string): number | undefined {
    return this.all.find((one) => one.revision === revision && one.pool === tier)?.slots;
  }
}

/** Returns the measurements, updated with the slots that the workers report. Small differences are ignored. */
function addMeasurements(measurements: Measurements, workers: readonly WorkerRecord[]): Measurements {
  let result = measurements;
  for (const { revision, device, tier } of workers) {
    const isSame = (one: Measurements[number]) =>
      one.revision === revision && one.device === device && one.pool === tier;
    const before = result.find(isSame)?.slots;
    const alike = workers.filter((one) => one.revision === revision && one.device === device && one.tier === tier);
    // The measurement is preferred to the current slots, which follow the speed of the machine. If the machine of one
    // worker is slow for a minute, the next worker may still be fast.
    const reported = alike.map((worker) => worker.measuredSlots ?? worker.slots);
    const slots = settleSlots(before, reported);
    if (slots === undefined || slots === before) continue;
    const entry = {
      revision,
      ...(device !== undefined && { device }),
      ...(tier !== undefined && { pool: tier }),
      slots,
    };
    result = [entry, ...result.filter((one) => !isSame(one))].slice(0, MAX_MEASUREMENTS);
  }
  return result;
}
