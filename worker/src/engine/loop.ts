import type { Model } from '../model/load.ts';
import type { BatchRunner, Work } from './batch.ts';
import { Lane } from './lane.ts';
import { aheadAt, isAhead } from './pace.ts';
import type { Command, StreamEvent } from './protocol.ts';
import { chooseBatch } from './schedule.ts';
import { startSearch } from './search.ts';
import { AudioRing } from './shared.ts';
import type { Gauges, SharedBuffers } from './shared.ts';

/** Constructor options of the loop. */
export interface LoopParts {
  readonly model: Model;
  readonly runner: BatchRunner;
  readonly shared: SharedBuffers;
  readonly gauges: Gauges;
  readonly maxBatch: number;
  readonly report: (events: readonly StreamEvent[]) => void;
}

/**
 * The inference thread's loop. It accepts commands at any time and runs one batch after the other while windows are
 * ready.
 */
export class InferenceLoop {
  readonly #parts: LoopParts;
  readonly #lanes = new Map<number, Lane>();
  #events: StreamEvent[] = [];
  #stopped = false;
  #running: ReadonlySet<Lane> = new Set();
  #wake: (() => void) | undefined;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /** Applies commands and reports the events that result from them at once. */
  take(commands: readonly Command[]): void {
    for (const command of commands) this.#apply(command);
    // Lanes of the running batch are settled when it has finished.
    for (const lane of this.#lanes.values()) if (!this.#running.has(lane)) this.#events.push(...lane.settle());
    this.#report();
    this.#wake?.();
  }

  /** True while a batch runs. A busy loop shows progress only by finishing batches. */
  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** Runs until a stop command. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const batch = this.#choose(performance.now());
      if (batch.length === 0) await this.#sleep();
      else await this.#runBatch(batch);
    }
  }

  async #runBatch(batch: readonly Work[]): Promise<void> {
    this.#running = new Set(batch.map(({ lane }) => lane));
    try {
      const events = await this.#parts.runner.run(batch, ({ id }) => this.#lanes.has(id));
      // The run must be awaited before `this.#events` is read, because commands that arrive during the run replace the
      // list.
      this.#events.push(...events);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      for (const { lane } of batch) {
        const { id } = lane;
        if (this.#lanes.delete(id)) this.#events.push({ id, kind: 'failed', message }, { id, kind: 'closed' });
      }
    }
    this.#running = new Set();
    this.#parts.gauges.tick();
    this.#report();
  }

  #choose(nowMs: number): Work[] {
    const ready = [];
    for (const lane of this.#lanes.values()) {
      // `next` is called once per lane. A mark that is announced later does not affect audio that is complete now.
      const next = lane.next();
      if (next.kind !== 'run') continue;
      const { chunkMs } = lane;
      ready.push({
        lane,
        length: next.length,
        context: lane.context,
        readyMs: (lane.readyMs ??= nowMs),
        aheadMs: aheadAt(lane.pace, nowMs),
        ahead: isAhead(lane.pace, chunkMs, nowMs),
      });
    }
    return chooseBatch(ready, this.#parts.maxBatch);
  }

  async #sleep(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  #apply(command: Command): void {
    switch (command.kind) {
      case 'open': {
        const { id, slot, context, utterance, realtimeFrom } = command;
        const { model, shared } = this.#parts;
        const encoder = model.encoders.get(context);
        // The main thread opens only contexts that this thread has reported.
        if (encoder === undefined) throw new Error(`the model has no context ${context}`);
        const ring = new AudioRing(shared, slot);
        this.#lanes.set(
          id,
          new Lane({
            id,
            slot,
            context,
            encoder,
            ring,
            utterance,
            realtimeFrom,
            startSearch: () => startSearch(model),
          }),
        );
        break;
      }
      case 'mark':
        this.#lanes.get(command.id)?.mark(command.mark);
        break;
      case 'close':
        if (this.#lanes.delete(command.id)) this.#events.push({ id: command.id, kind: 'closed' });
        break;
      case 'wake':
        break;
      case 'stop':
        this.#stopped = true;
        break;
    }
  }

  #report(): void {
    if (this.#events.length === 0) return;
    this.#parts.report(this.#events);
    this.#events = [];
  }
}
