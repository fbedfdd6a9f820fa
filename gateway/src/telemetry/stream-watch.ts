import { audioMs } from '@svc-asr/core';
import type { GatewayMetrics } from '../metrics.ts';
import type { StreamTrace } from './stream-trace.ts';

type StreamMetrics = Pick<
  GatewayMetrics,
  'streamsEnded' | 'streamMoves' | 'readySeconds' | 'deltaSeconds' | 'finalSeconds' | 'placeSeconds'
>;

export interface WatchOptions {
  readonly metrics: StreamMetrics;
  /** Undefined if the session is not traced. */
  readonly trace: StreamTrace | undefined;
  readonly model: string;
  /** Time at which the handshake started. */
  readonly requestedAtMs: number;
}

/** Records the metrics and the trace of one stream. */
export class StreamWatch {
  readonly #metrics: StreamMetrics;
  readonly #trace: StreamTrace | undefined;
  readonly #labels: { model: string };
  readonly #requestedAtMs: number;
  #searchStartedAtMs = 0;

  constructor({ metrics, trace, model, requestedAtMs: askedAtMs }: WatchOptions) {
    this.#metrics = metrics;
    this.#trace = trace;
    this.#labels = { model };
    this.#requestedAtMs = askedAtMs;
  }

  /** Records that the search for a worker starts. */
  startSearch(): void {
    this.#searchStartedAtMs = performance.now();
    this.#trace?.startSearch();
  }

  /**
   * Records that the search for a worker has ended. `worker` is undefined if no worker was found in time. Returns the
   * `traceparent` for the worker.
   */
  endSearch(worker: { id: string; revision: string } | undefined): string | undefined {
    if (worker !== undefined) this.#metrics.placeSeconds.record(secondsSince(this.#searchStartedAtMs), this.#labels);
    return this.#trace?.endSearch(worker);
  }

  /** Records that the stream has left its worker. `failure` is set if a failure of the worker is the reason. */
  leaveWorker(failure?: string): void {
    this.#trace?.leaveWorker(failure);
  }

  /**
   * Records that the stream is being opened at another worker, while the current worker still serves it.
   * `searchStartedAtMs` is the time at which the search for that worker started. Returns the `traceparent` for that
   * worker.
   */
  prepareMove(worker: { id: string; revision: string }, searchStartedAtMs: number): string | undefined {
    return this.#trace?.prepareMove(worker, searchStartedAtMs);
  }

  /**
   * Records that the stream does not move to the prepared worker. `failure` is set if a failure of that worker is the
   * reason.
   */
  abandonMove(failure?: string): void {
    this.#trace?.abandonMove(failure);
  }

  /** Records that the stream has moved to the prepared worker and has left its previous worker. */
  completeMove(): void {
    this.#trace?.completeMove();
  }

  /** Records a move away from `worker`. */
  recordMove(worker: string, cause: 'failure' | 'drain' | 'overload', reason: string): void {
    this.#metrics.streamMoves.add(1, { ...this.#labels, cause });
    this.#trace?.addEvent('worker moved', { 'svc_asr.worker.id': worker, 'svc_asr.reason': reason });
  }

  recordReady(): void {
    this.#metrics.readySeconds.record(secondsSince(this.#requestedAtMs), this.#labels);
    this.#trace?.addEvent('ready');
  }

  recordDelta(latencyMs: number): void {
    this.#metrics.deltaSeconds.record(latencyMs / 1000, this.#labels);
  }

  /**
   * Records a `final`. `flushedAtMs` is undefined if the sender was ahead of real time, or if a pause has ended the
   * utterance. No latency is recorded then.
   */
  recordFinal(utterance: number, flushedAtMs: number | undefined): void {
    if (flushedAtMs !== undefined) this.#metrics.finalSeconds.record(secondsSince(flushedAtMs), this.#labels);
    this.#trace?.addEvent('final', { 'svc_asr.utterance': utterance });
  }

  recordEnd({ outcome, reason, samples }: { outcome: string; reason: string; samples: number }): void {
    this.#metrics.streamsEnded.add(1, { ...this.#labels, outcome, reason });
    this.#trace?.end(outcome, reason, audioMs(samples));
  }

  /** Starts the span of the settlement. Returns a function that ends it. */
  startSettlement(): () => void {
    return this.#trace?.startSettlement() ?? (() => undefined);
  }
}

function secondsSince(atMs: number): number {
  return (performance.now() - atMs) / 1000;
}
