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
  readonly askedAtMs: number;
}

/** What metrics and traces want to know of one stream. */
export class StreamWatch {
  readonly #metrics: StreamMetrics;
  readonly #trace: StreamTrace | undefined;
  readonly #labels: { model: string };
  readonly #askedAtMs: number;
  #soughtAtMs = 0;

  constructor({ metrics, trace, model, askedAtMs }: WatchOptions) {
    this.#metrics = metrics;
    this.#trace = trace;
    this.#labels = { model };
    this.#askedAtMs = askedAtMs;
  }

  /** The stream needs a worker. */
  seeking(): void {
    this.#soughtAtMs = performance.now();
    this.#trace?.seeking();
  }

  /** A worker was found, or none in time; answers the `traceparent` to open the stream with. */
  placed(worker: { id: string; revision: string } | undefined): string | undefined {
    if (worker !== undefined) this.#metrics.placeSeconds.record(secondsSince(this.#soughtAtMs), this.#labels);
    return this.#trace?.placed(worker);
  }

  /** The stream left its worker; `failure`: because of it. */
  left(failure?: string): void {
    this.#trace?.left(failure);
  }

  /** The stream goes to another worker. */
  moved(worker: string, failure: string | undefined): void {
    const cause = failure === undefined ? 'drain' : 'failure';
    this.#metrics.streamMoves.add(1, { ...this.#labels, cause });
    this.#trace?.event('worker moved', { 'svc_asr.worker.id': worker, 'svc_asr.reason': failure ?? 'drain' });
  }

  ready(): void {
    this.#metrics.readySeconds.record(secondsSince(this.#askedAtMs), this.#labels);
    this.#trace?.event('ready');
  }

  delta(latencyMs: number): void {
    this.#metrics.deltaSeconds.record(latencyMs / 1000, this.#labels);
  }

  /** A `final` was sent; `flushedAtMs`: undefined when its latency says nothing, the sender being ahead. */
  final(utterance: number, flushedAtMs: number | undefined): void {
    if (flushedAtMs !== undefined) this.#metrics.finalSeconds.record(secondsSince(flushedAtMs), this.#labels);
    this.#trace?.event('final', { 'svc_asr.utterance': utterance });
  }

  ended({ outcome, reason, samples }: { outcome: string; reason: string; samples: number }): void {
    this.#metrics.streamsEnded.add(1, { ...this.#labels, outcome, reason });
    this.#trace?.ended(outcome, reason, audioMs(samples));
  }

  /** The end is being settled; answers what to call when it is. */
  settling(): () => void {
    return this.#trace?.settling() ?? (() => undefined);
  }
}

function secondsSince(atMs: number): number {
  return (performance.now() - atMs) / 1000;
}
