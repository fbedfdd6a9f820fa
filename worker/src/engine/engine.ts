import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { buildFraming } from '../features/framing.ts';
import { contextKey } from '../model/manifest.ts';
import type { Context } from '../model/manifest.ts';
import { EngineError } from './error.ts';
import type { Command, ModelInfo, Report } from './protocol.ts';
import { AudioRing, Gauges } from './shared.ts';
import type { EngineStats, SharedBuffers } from './shared.ts';
import { EngineStream } from './stream.ts';

/** Events of an engine. */
export interface EngineEvents {
  /** The inference thread has ended. Every stream has received its error, and no stream can be opened any more. */
  failed: [EngineError];
}

/** Options of a new stream. */
export interface OpenOptions {
  readonly context?: Context;
  /** Number of the first utterance of the stream. */
  readonly utterance?: number;
  /** Audio before this sample was already recognized on another worker, so it may arrive faster than real time. */
  readonly realtimeFrom?: number;
}

/** Longest time that the inference thread may take to stop before it is terminated. */
const STOP_MS = 5_000;

/** A loaded model with its inference thread. Create it with `startEngine`. */
export class Engine extends EventEmitter<EngineEvents> {
  readonly info: ModelInfo;
  readonly #thread: Worker;
  readonly #shared: SharedBuffers;
  readonly #gauges: Gauges;
  readonly #free: number[];
  readonly #streams = new Map<number, { stream: EngineStream; slot: number }>();
  #outbox: Command[] = [];
  #nextId = 1;
  #failure: EngineError | undefined;
  #closing: Promise<void> | undefined;

  constructor(thread: Worker, info: ModelInfo, shared: SharedBuffers) {
    super();
    this.#thread = thread;
    this.info = info;
    this.#shared = shared;
    this.#gauges = new Gauges(shared);
    this.#free = Array.from({ length: info.slots }, (_, i) => info.slots - 1 - i);
    thread.on('message', (report: Report) => {
      this.#receive(report);
    });
    thread.on('error', (cause) => {
      this.#fail(new EngineError('engine_failed', `the inference thread failed: ${messageOf(cause)}`, { cause }));
    });
    thread.on('exit', (code) => {
      if (this.#closing === undefined)
        this.#fail(new EngineError('engine_failed', `the inference thread ended with code ${code}`));
    });
  }

  /** Slots that no stream holds. */
  get freeSlots(): number {
    return this.#free.length;
  }

  /**
   * Counter that increases at least four times a second while the inference thread is idle, and after each batch while
   * it is busy. It stops when the thread hangs.
   */
  get progress(): number {
    return this.#gauges.progress;
  }

  /** Totals since the engine started. */
  get stats(): EngineStats {
    return this.#gauges.stats;
  }

  /**
   * Opens a stream. Throws an EngineError if no slot is free, the model does not support the context, or the engine has
   * failed or is closed.
   */
  open({ context, utterance = 0, realtimeFrom = 0 }: OpenOptions = {}): EngineStream {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing !== undefined) throw new EngineError('closed', 'the engine is closed');
    const chosen = context ?? this.info.contexts[0]?.context;
    const known = this.info.contexts.find(
      (entry) => chosen !== undefined && contextKey(entry.context) === contextKey(chosen),
    );
    if (known === undefined) {
      throw new EngineError(
        'context_unsupported',
        `the model does not support the context [${chosen?.join(', ') ?? ''}]`,
      );
    }
    const slot = this.#free.pop();
    if (slot === undefined) throw new EngineError('no_slot', `all ${this.info.slots} slots are taken`);
    const id = this.#nextId++;
    const ring = new AudioRing(this.#shared, slot);
    ring.clear();
    const framing = buildFraming(known.context[1], this.info.subsampling);
    const stream = new EngineStream(known.context, framing, ring, {
      mark: (mark) => {
        this.#send({ kind: 'mark', id, mark });
      },
      wake: () => {
        this.#sendWake(id);
      },
      close: () => {
        this.#send({ kind: 'close', id });
      },
    });
    this.#streams.set(id, { stream, slot });
    this.#send({ kind: 'open', id, slot, context: contextKey(known.context), utterance, realtimeFrom });
    return stream;
  }

  /**
   * Ends all streams without a final, waits for runs in progress, releases the memory of the model and stops the
   * inference thread. Further calls wait for the same end. Another engine can be started in the process afterwards.
   */
  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    if (this.#failure !== undefined) {
      // A thread that hangs in a native call cannot end, so nothing waits for it.
      void this.#thread.terminate();
      return;
    }
    for (const { stream } of this.#streams.values()) stream.close();
    const exited = new Promise((resolve) => this.#thread.once('exit', resolve));
    this.#send({ kind: 'stop' });
    const timer = setTimeout(() => void this.#thread.terminate(), STOP_MS);
    await exited;
    clearTimeout(timer);
  }

  /** Sends a command to the inference thread. Commands of one turn of the event loop are sent in one message. */
  #send(command: Command): void {
    if (this.#failure !== undefined) return;
    if (this.#outbox.length === 0) {
      queueMicrotask(() => {
        this.#thread.postMessage(this.#outbox);
        this.#outbox = [];
      });
    }
    this.#outbox.push(command);
  }

  #sendWake(id: number): void {
    const last = this.#outbox.at(-1);
    if (last?.kind === 'wake') last.ids.push(id);
    else this.#send({ kind: 'wake', ids: [id] });
  }

  #receive(report: Report): void {
    if (report.kind === 'refused') {
      this.#fail(new EngineError('engine_failed', report.message));
      return;
    }
    if (report.kind !== 'events') return;
    for (const event of report.events) {
      const entry = this.#streams.get(event.id);
      if (entry === undefined) continue;
      if (event.kind === 'closed') {
        this.#streams.delete(event.id);
        this.#free.push(entry.slot);
      }
      entry.stream.handle(event);
    }
  }

  #fail(error: EngineError): void {
    if (this.#failure !== undefined || this.#closing !== undefined) return;
    this.#failure = error;
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const { stream } of streams) stream.fail(error);
    this.emit('failed', error);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
