import { audioMs } from '@svc-asr/core';
import type { GatewayMetrics } from '../metrics.ts';
import type { StreamTrace } from './stream-trace.ts';

type StreamMetrics = Pick<
  GatewayMetrics,
  'streamsEnded' | 'streamMoves' | 'readySeconds' | 'deltaSeconds' | 'finalSeconds' | 'placeSeconds'
>;

export interface WatchOptions {
  readonly metrics: StreamMetrics;
  /** undefined: the session is not traced. */
  readonly trace: StreamTrace | undefined;
  readonly model: string;
  /** When the client asked for the stream. */
  readonly requestedAtMs: number;
}

/** What metrics and traces want to know of one stream. */
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

  /** The stream needs a worker. */
  startSearch(): void {
    this.#searchStartedAtMs = performance.now();
    this.#trace?.startSearch();
  }

  /** A worker was found, or none in time; answers the `traceparent` to open the stream with. */
  endSearch(worker: { id: string; revision: string } | undefined): string | undefined {
    if (worker !== undefined) this.#metrics.placeSeconds.record(secondsSince(this.#searchStartedAtMs), this.#labels);
    return this.#trace?.endSearch(worker);
  }

  /** The stream left its worker; `failure`: because of it. */
  leaveWorker(failure?: string): void {
    this.#trace?.leaveWorker(failure);
  }

  /** The stream goes to another worker. */
  recordMove(worker: string, failure: string | undefined): void {
    const cause = failure === undefined ? 'drain' : 'failure';
    this.#metrics.streamMoves.add(1, { ...this.#labels, cause });
    this.#trace?.addEvent('worker moved', { 'svc_asr.worker.id': worker, 'svc_asr.reason': failure ?? 'drain' });
  }

  recordReady(): void {
    this.#metrics.readySeconds.record(secondsSince(this.#requestedAtMs), this.#labels);
    this.#trace?.addEvent('ready');
  }

  recordDelta(latencyMs: number): void {
    this.#metrics.deltaSeconds.record(latencyMs / 1000, this.#labels);
  }

  /** A `final` was sent; `flushedAtMs`: undefined when its latency says nothing, the sender being ahead. */
  recordFinal(utterance: number, flushedAtMs: number | undefined): void {
    if (flushedAtMs !== undefined) this.#metrics.finalSeconds.record(secondsSince(flushedAtMs), this.#labels);
    this.#trace?.addEvent('final', { 'svc_asr.utterance': utterance });
  }

  recordEnd({ outcome, reason, samples }: { outcome: string; reason: string; samples: number }): void {
    this.#metrics.streamsEnded.add(1, { ...this.#labels, outcome, reason });
    this.#trace?.end(outcome, reason, audioMs(samples));
  }

  /** The end is being settled; answers what to call when it is. */
  startSettlement(): () => void {
    return this.#trace?.startSettlement() ?? (() => undefined);
  }
}

function secondsSince(atMs: number): number {
  return (performance.now() - atMs) / 1000;
}
