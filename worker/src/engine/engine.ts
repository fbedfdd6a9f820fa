import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import type { MessagePort, Worker } from 'node:worker_threads';
import { EngineClient } from './client.ts';
import type { OpenOptions, RemoteAccess } from './client.ts';
import { EngineError } from './error.ts';
import type { ModelInfo, Report } from './protocol.ts';
import { Gauges } from './shared.ts';
import type { EngineStats, RunTotals, SharedBuffers } from './shared.ts';
import type { EngineStream } from './stream.ts';

/** Events of an engine. */
export interface EngineEvents {
  /**
   * Emitted when the engine has failed. No stream can be opened any more. All streams of the main thread have received
   * the error. The listener must notify the other threads that serve streams.
   */
  failed: [EngineError];
}

/** Time after which the inference thread is terminated if it has not stopped. */
const STOP_MS = 5_000;

/** A loaded model with its inference thread. Create it with `startEngine`. */
export class Engine extends EventEmitter<EngineEvents> {
  readonly info: ModelInfo;
  /** Access for the other threads that serve streams. The client of the main thread has the number 0. */
  readonly accesses: readonly RemoteAccess[];
  readonly #thread: Worker;
  readonly #gauges: Gauges;
  readonly #client: EngineClient;
  #failure: EngineError | undefined;
  #closing: Promise<void> | undefined;

  /** `remote` is the number of other threads that serve streams. */
  constructor(thread: Worker, info: ModelInfo, shared: SharedBuffers, remote = 0) {
    super();
    this.#thread = thread;
    this.info = info;
    this.#gauges = new Gauges(shared);
    const clients = remote + 1;
    this.#client = new EngineClient({ info, shared, index: 0, clients }, (commands) => thread.postMessage(commands));
    const channels = Array.from({ length: remote }, () => new MessageChannel());
    this.accesses = channels.map(({ port1: port }, at) => ({ info, shared, index: at + 1, clients, port }));
    const ports: MessagePort[] = channels.map(({ port2 }) => port2);
    thread.postMessage({ shared, ports }, ports);
    thread.on('message', (report: Report) => {
      if (report.kind === 'events') this.#client.receive(report.events);
      else if (report.kind === 'refused') this.fail(new EngineError('engine_failed', report.message));
    });
    thread.on('error', (cause) => {
      this.fail(new EngineError('engine_failed', `the inference thread failed: ${messageOf(cause)}`, { cause }));
    });
    thread.on('exit', (code) => {
      if (this.#closing === undefined)
        this.fail(new EngineError('engine_failed', `the inference thread ended with code ${code}`));
    });
  }

  /** Error with which the engine has failed. Undefined while it works. */
  get failure(): EngineError | undefined {
    return this.#failure;
  }

  /** Number of slots that no stream holds. */
  get freeSlots(): number {
    return this.#client.freeSlots;
  }

  /**
   * Counter that increases about four times a second while the inference thread is idle, and after each batch while it
   * is busy. It does not increase while the thread hangs.
   */
  get progress(): number {
    return this.#gauges.progress;
  }

  /** Number of slots that streams hold. */
  get usedSlots(): number {
    return this.info.slots - this.freeSlots;
  }

  /** Number of real-time streams whose next window has been ready for too long. */
  get lateStreams(): number {
    return this.#gauges.lateStreams;
  }

  /** Total times of all runs since the engine started. */
  get runTotals(): RunTotals {
    return this.#gauges.runTotals;
  }

  /** Totals of the inference thread since the engine started. */
  get stats(): EngineStats {
    return this.#gauges.stats;
  }

  /**
   * Opens a stream of the main thread. Throws an EngineError if no slot is free, the model does not support the
   * context, or the engine has failed or is closed.
   */
  open(options: OpenOptions = {}): EngineStream {
    if (this.#failure === undefined && this.#closing !== undefined) {
      throw new EngineError('closed', 'the engine is closed');
    }
    return this.#client.open(options);
  }

  /**
   * Closes all streams of the main thread, without finals, and stops the inference thread. Before it ends, the thread
   * waits for runs in progress and releases the memory of the model. If the engine has failed, or if the stop takes too
   * long, the thread is terminated. Further calls return the promise of the first call. When the promise has resolved,
   * another engine can be started in this process.
   */
  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    if (this.#failure !== undefined) {
      // A thread that hangs in a native call cannot end, so this function does not wait for it.
      void this.#thread.terminate();
      return;
    }
    this.#client.closeStreams();
    const exited = new Promise((resolve) => this.#thread.once('exit', resolve));
    this.#client.send({ kind: 'stop' });
    const timer = setTimeout(() => void this.#thread.terminate(), STOP_MS);
    await exited;
    clearTimeout(timer);
  }

  /** Ends the engine with an error. Call it when another thread that serves streams has failed. */
  fail(error: EngineError): void {
    if (this.#failure !== undefined || this.#closing !== undefined) return;
    this.#failure = error;
    this.#client.fail(error);
    this.emit('failed', error);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
