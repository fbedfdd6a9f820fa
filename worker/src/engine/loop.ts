import { PhraseGraph } from '../decode/phrases/graph.ts';
import { batchLimit } from './batch-limit.ts';
import { DeviceLost } from './backend.ts';
import type { Backend, Runner, Work } from './backend.ts';
import { Lane } from './lane.ts';
import { spareUntil } from './pace.ts';
import type { Command, StreamEvent } from './protocol.ts';
import { ReadyQueue } from './ready-queue.ts';
import { expectedRunMs } from './run-cost.ts';
import type { RunCost } from './run-cost.ts';
import { AudioRing } from './shared.ts';
import type { Gauges, SharedBuffers } from './shared.ts';

/** Constructor options of the loop. */
export interface LoopParts {
  readonly backend: Backend;
  readonly runner: Runner;
  readonly shared: SharedBuffers;
  readonly gauges: Gauges;
  /** Durations of runs at warm-up, by context. */
  readonly costs: ReadonlyMap<string, RunCost>;
  readonly report: (events: readonly StreamEvent[]) => void;
}

/**
 * Time after which a window that is ready but does not run counts as late. The number of late streams affects the
 * number of slots of the worker.
 */
const LATE_MS = 200;
/**
 * Weight of the last run in the moving average of the slowdown, which limits the size of batches. The weight is higher
 * for a slower run, so that the average follows a slowdown quickly.
 */
const LAST_RUN_WEIGHT = { slower: 0.5, faster: 0.2 };

/**
 * The loop of the inference thread. It accepts commands at any time and runs batches while windows are ready. The work
 * that it does depends on the number of commands and ready windows, and not on the number of open streams.
 */
export class InferenceLoop {
  readonly #parts: LoopParts;
  readonly #lanes = new Map<number, Lane>();
  readonly #ready: ReadyQueue<Lane>;
  #events: StreamEvent[] = [];
  #stopped = false;
  #runs = 0;
  #lastEndMs = 0;
  /** Moving average of the slowdown of runs, compared with the warm-up. */
  #slowdown = 1;
  #failure: DeviceLost | undefined;
  #wake: (() => void) | undefined;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#ready = new ReadyQueue({ isPadded: parts.backend.paddedSizes !== undefined });
  }

  /**
   * Applies commands. Some events, such as `closed`, need no run, and this method reports them at once. Other events
   * follow after a run.
   */
  take(commands: readonly Command[]): void {
    for (const command of commands) this.#apply(command);
    this.#report();
    this.#wake?.();
  }

  /** True while a batch runs. While the loop is busy, the progress counter increases only at the end of a batch. */
  get busy(): boolean {
    return this.#runs > 0;
  }

  /** Returns the number of real-time streams whose window has been ready for too long. */
  countLate(): number {
    return this.#ready.countSince(performance.now() - LATE_MS);
  }

  /** Runs batches until a stop command arrives. Throws if the hardware fails. */
  async run(): Promise<void> {
    while (!this.#stopped && this.#failure === undefined) {
      if (this.#mayStart()) this.#start();
      else await this.#sleep();
    }
    while (this.#runs > 0 && this.#failure === undefined) await this.#sleep();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Returns whether a run starts now. While another run is active, a run starts only with a full batch. A smaller batch
   * would delay the windows that become ready next.
   */
  #mayStart(): boolean {
    const { maxRuns, maxBatch } = this.#parts.backend;
    const ready = this.#ready.size(performance.now());
    return this.#runs === 0 ? ready > 0 : this.#runs < maxRuns && ready >= maxBatch;
  }

  #start(): void {
    const { backend, costs } = this.#parts;
    const isOpen = ({ id }: Lane) => this.#lanes.has(id);
    const maxOf = (context: string) => batchLimit(costs.get(context), this.#slowdown, backend.maxBatch);
    const batch: Work[] = [];
    for (const lane of this.#ready.take(maxOf, performance.now(), isOpen)) {
      // A reset that arrived after the window became ready may have dropped the window.
      this.#events.push(...lane.settle());
      const next = lane.next();
      lane.busy = next.kind === 'run';
      if (next.kind === 'run') batch.push({ lane, length: next.length });
    }
    if (batch.length > 0) {
      this.#runs++;
      void this.#runBatch(batch, isOpen);
    }
    // Events are reported here, because no run follows if all streams of the batch were reset.
    this.#report();
  }

  async #runBatch(batch: readonly Work[], isOpen: (lane: Lane) => boolean): Promise<void> {
    const startMs = performance.now();
    const isAhead = batch.every(({ lane }) => spareUntil(lane) > startMs);
    try {
      const events = await this.#parts.runner.run(batch, isOpen);
      for (const event of events) this.#add(event);
      this.#measure(batch, startMs);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      for (const { lane } of batch) if (isOpen(lane)) this.#add({ id: lane.id, kind: 'failed', message });
      if (error instanceof DeviceLost) this.#failure = error;
    }
    if (isAhead) this.#ready.ranAhead(startMs, performance.now());
    for (const { lane } of batch) if (isOpen(lane)) this.#refresh(lane);
    this.#runs--;
    this.#parts.gauges.tick();
    this.#report();
    this.#wake?.();
  }

  /** Records the time of a run. If runs overlap, the time starts at the end of the previous run, as at warm-up. */
  #measure(batch: readonly Work[], startMs: number): void {
    const nowMs = performance.now();
    const cost = this.#parts.costs.get(batch[0]?.lane.context ?? '');
    const runMs = nowMs - Math.max(startMs, this.#lastEndMs);
    this.#lastEndMs = nowMs;
    if (cost === undefined) return;
    const expectedMs = expectedRunMs(cost, batch.length);
    this.#parts.gauges.addRunTime(runMs, expectedMs);
    if (expectedMs <= 0) return;
    const change = runMs / expectedMs - this.#slowdown;
    this.#slowdown += change * (change > 0 ? LAST_RUN_WEIGHT.slower : LAST_RUN_WEIGHT.faster);
  }

  /** Ends the utterances of a stream that need no further run. Queues the stream if its next window is ready. */
  #refresh(lane: Lane): void {
    const nowMs = performance.now();
    lane.noteArrival(nowMs);
    this.#events.push(...lane.settle());
    lane.busy = lane.next().kind === 'run';
    if (!lane.busy) return;
    lane.readyMs ??= nowMs;
    this.#ready.add(lane, nowMs);
  }

  /**
   * Waits for a command, for the end of a run, or until the queue allows streams that are ahead of real time to run.
   */
  async #sleep(): Promise<void> {
    const nowMs = performance.now();
    const aheadFromMs = this.#runs === 0 ? this.#ready.aheadFromMs(nowMs) : Infinity;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (aheadFromMs !== Infinity) timer = setTimeout(resolve, Math.max(1, aheadFromMs - nowMs));
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }

  #apply(command: Command): void {
    switch (command.kind) {
      case 'open':
        this.#open(command);
        break;
      case 'mark':
        this.#lanes.get(command.id)?.mark(command.mark);
        this.#refreshIdle(command.id);
        break;
      case 'close':
        if (this.#lanes.delete(command.id)) this.#events.push({ id: command.id, kind: 'closed' });
        break;
      case 'wake':
        for (const id of command.ids) this.#refreshIdle(id);
        break;
      case 'stop':
        this.#stopped = true;
        break;
    }
  }

  /**
   * Refreshes a stream if it is neither queued nor in a run. Queued and running streams are refreshed after their run.
   */
  #refreshIdle(id: number): void {
    const lane = this.#lanes.get(id);
    if (lane?.busy === false) this.#refresh(lane);
  }

  #open(command: Extract<Command, { kind: 'open' }>): void {
    const { id, slot, context, utterance, realtimeFrom, endpointing, phrases } = command;
    const { backend, shared } = this.#parts;
    const shape = backend.contexts.get(context);
    // Clients open only contexts that this thread has reported.
    if (shape === undefined) throw new Error(`the model has no context ${context}`);
    const ring = new AudioRing(shared, slot);
    const graph = phrases.length > 0 && backend.supportsPhrases ? new PhraseGraph(phrases) : undefined;
    const startSearch = () => backend.startSearch(graph);
    const openedMs = performance.now();
    const parts = { id, slot, context, shape, ring, utterance, openedMs, realtimeFrom, endpointing, startSearch };
    this.#lanes.set(id, new Lane(parts));
  }

  /** Records an event of a run. A failed stream is closed. */
  #add(event: StreamEvent): void {
    this.#events.push(event);
    if (event.kind === 'failed' && this.#lanes.delete(event.id)) this.#events.push({ id: event.id, kind: 'closed' });
  }

  #report(): void {
    if (this.#events.length === 0) return;
    this.#parts.report(this.#events);
    this.#events = [];
  }
}
