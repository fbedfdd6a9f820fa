import type { Stream } from './stream.ts';

/** A stream, and a promise that resolves when its session is settled. */
export interface OpenedStream {
  readonly stream: Stream;
  readonly settled: Promise<void>;
}
