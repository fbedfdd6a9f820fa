import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { MAX_IO_THREADS } from '@svc-asr/core';
import type { RemoteAccess } from '../engine/client.ts';
import type { EndCode } from '../server/relay-stream.ts';
import { createUsedTickets } from '../server/used-tickets.ts';
import type { WorkerSettings } from '../settings.ts';
import { IoCounters } from './counters.ts';
import { streamNoise } from './noise.ts';
import type { NoiseOptions } from './noise.ts';
import type { IoCommand, IoReport, IoThreadOptions } from './protocol.ts';
import { TicketClock } from './ticket-clock.ts';

export interface IoThreadsOptions {
  readonly workerId: string;
  readonly settings: WorkerSettings;
  /** Access to the inference thread for each I/O thread. */
  readonly accesses: readonly RemoteAccess[];
}

export interface IoThreadsEvents {
  /** Emitted when an I/O thread has ended unexpectedly. The streams of this thread are lost. */
  failed: [Error];
  /** Emitted when a stream has ended, with the code of its end. */
  ended: [EndCode];
}

/** Number of cores for each I/O thread of a worker with an accelerator. */
const CORES_PER_THREAD = 4;
const MIN_ACCELERATOR_THREADS = 2;
/** Time after which a thread is terminated if it has not closed its streams and ended. */
const STOP_MS = 5000;

/** Returns the number of I/O threads for a worker on a machine with `cores` cores. */
export function countIoThreads(
  { IO_THREADS, PROVIDER }: Pick<WorkerSettings, 'IO_THREADS' | 'PROVIDER'>,
  cores: number,
): number {
  if (IO_THREADS > 0) return IO_THREADS;
  // A single thread can read more streams than the CPUs of a machine can recognize.
  if (PROVIDER === 'cpu') return 1;
  return Math.min(MAX_IO_THREADS, Math.max(MIN_ACCELERATOR_THREADS, Math.floor(cores / CORES_PER_THREAD)));
}

/**
 * The threads that read from and write to the connections of gateways. Each thread has its own port, and passes audio
 * to the inference thread through shared memory. The main thread only controls them.
 */
export class IoThreads extends EventEmitter<IoThreadsEvents> {
  readonly #counters: IoCounters;
  readonly #clock: TicketClock;
  readonly #threads: readonly Worker[];
  #closing = false;

  private constructor(threads: readonly Worker[], counters: IoCounters, clock: TicketClock) {
    super();
    this.#threads = threads;
    this.#counters = counters;
    this.#clock = clock;
    for (const [index, thread] of threads.entries()) {
      const name = `I/O thread ${index + 1} of ${threads.length}`;
      thread.on('error', (cause: Error) => {
        this.emit('failed', new Error(`${name} failed: ${cause.message}`, { cause }));
      });
      thread.on('exit', (code) => {
        if (!this.#closing) this.emit('failed', new Error(`${name} ended with code ${code}`));
      });
      thread.on('message', (report: IoReport) => {
        if (report.kind === 'ended') this.emit('ended', report.code);
      });
    }
  }

  /** Starts the threads. Resolves to the threads and their ports when all threads listen. */
  static async start(options: IoThreadsOptions): Promise<{ threads: IoThreads; ports: number[] }> {
    const { accesses, ...common } = options;
    const counters = IoCounters.create(accesses.length);
    const usedTickets = createUsedTickets();
    const clock = TicketClock.create();
    const memory = { usedTickets, counters: counters.memory, ticketClock: clock.memory };
    // Tests run the TypeScript sources. Services run the compiled files.
    const entry = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);
    const workers = accesses.map((access, index) => {
      const workerData: IoThreadOptions = { ...common, index, access, ...memory };
      return new Worker(entry, { workerData, transferList: [access.port], name: `io-${index}` });
    });
    try {
      const ports = await Promise.all(workers.map(listening));
      return { threads: new IoThreads(workers, counters, clock), ports };
    } catch (error) {
      await Promise.all(workers.map((worker) => worker.terminate()));
      throw error;
    }
  }

  /** Number of threads. */
  get count(): number {
    return this.#threads.length;
  }

  /** Number of samples that all threads have received. */
  get samples(): number {
    return this.#counters.samples;
  }

  /**
   * Counter that increases while the inference thread and all I/O threads work. It does not increase while one of these
   * threads hangs.
   */
  get progress(): number {
    return this.#counters.progress;
  }

  /** Sets the present time of the Redis clock, which determines when tickets expire. */
  setRedisTime(nowMs: number): void {
    this.#clock.set(nowMs);
  }

  /** Stops accepting new streams. */
  refuse(): void {
    this.#send({ kind: 'refuse' });
  }

  /**
   * Asks gateways to move their streams to other workers. `withinMs` is the time limit for these moves, if there is
   * one.
   */
  move(withinMs?: number): void {
    this.#send({ kind: 'move', ...(withinMs !== undefined && { withinMs }) });
  }

  /** Asks gateways to move this share of the streams to workers with free slots. */
  moveExcess(share: number): void {
    this.#send({ kind: 'moveExcess', share });
  }

  /** Ends all streams with the code `engine_failed`. Call it when the engine has failed. */
  fail({ message }: Error): void {
    this.#send({ kind: 'fail', message });
  }

  /**
   * Resolves when all streams have ended and all answers are sent, at the latest after `withinMs`. Returns the number
   * of streams that have not ended.
   */
  async emptied(withinMs: number): Promise<number> {
    const left = this.#threads.map(async (thread) => {
      const answer = nextReport(thread, 'emptied');
      thread.postMessage({ kind: 'empty', withinMs } satisfies IoCommand);
      return (await answer)?.left ?? 0;
    });
    return (await Promise.all(left)).reduce((sum, count) => sum + count, 0);
  }

  /**
   * Measures the cost of a stream. Streams noise through the first I/O thread to the inference thread, and receives the
   * results. Returns the CPU time of the I/O thread per second of audio, or undefined if no audio arrived in time.
   */
  async measureCost(
    noise: Pick<NoiseOptions, 'tls' | 'context' | 'streams'>,
    times: { warmMs: number; measureMs: number },
  ): Promise<number | undefined> {
    const [thread] = this.#threads;
    if (thread === undefined) return undefined;
    const [probing, probed] = [nextReport(thread, 'probing'), nextReport(thread, 'probed')];
    thread.postMessage({ kind: 'probe', ...times } satisfies IoCommand);
    const probe = await probing;
    if (probe === undefined) return undefined;
    const { port, ticket } = probe;
    await streamNoise({ ...noise, port, ticket });
    return (await probed)?.cost;
  }

  /** Ends all streams that are still open, closes the ports and ends the threads. */
  async close(): Promise<void> {
    this.#closing = true;
    const ended = this.#threads.map(async (thread) => {
      if (thread.threadId < 0) return;
      const exited = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage({ kind: 'close' } satisfies IoCommand);
      const timer = setTimeout(() => void thread.terminate(), STOP_MS);
      await exited;
      clearTimeout(timer);
    });
    await Promise.all(ended);
  }

  #send(command: IoCommand): void {
    for (const thread of this.#threads) thread.postMessage(command);
  }
}

/** Resolves to the port of a thread when the thread listens. Rejects if the thread ends before it listens. */
async function listening(thread: Worker): Promise<number> {
  const settled = new AbortController();
  try {
    const { signal } = settled;
    const [report] = (await Promise.race([
      once(thread, 'message', { signal }),
      once(thread, 'exit', { signal }).then(([code]) => {
        throw new Error(`an I/O thread ended with code ${String(code)} while starting`);
      }),
    ])) as [IoReport];
    if (report.kind !== 'listening') throw new Error(`an I/O thread reported ${report.kind} before it listened`);
    return report.port;
  } finally {
    settled.abort();
  }
}

/** Resolves to the next report of this kind, or to undefined if the thread ends first. */
function nextReport<K extends IoReport['kind']>(
  thread: Worker,
  kind: K,
): Promise<Extract<IoReport, { kind: K }> | undefined> {
  return new Promise((resolve) => {
    const settle = (report?: Extract<IoReport, { kind: K }>) => {
      thread.off('message', onMessage).off('exit', onExit);
      resolve(report);
    };
    const onMessage = (report: IoReport) => {
      if (report.kind === kind) settle(report as Extract<IoReport, { kind: K }>);
    };
    const onExit = () => settle();
    thread.on('message', onMessage).on('exit', onExit);
    if (thread.threadId < 0) settle();
  });
}
