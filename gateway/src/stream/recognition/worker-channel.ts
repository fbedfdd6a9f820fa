import type { ContextSize, Phrase, RelayAnswer } from '@svc-asr/core';
import type { Mark } from './outgoing-stream.ts';
import type { WorkerTls } from './worker-trust.ts';

/** How a worker should cut utterances at pauses. */
export interface EndpointingRequest {
  readonly silenceMs: number;
  /** Number of samples before which the first utterance must not be cut. */
  readonly notBefore: number;
}

/** Request to open a stream at a worker. */
export interface ChannelRequest {
  readonly address: string;
  readonly tls: WorkerTls;
  readonly ticket: string;
  readonly context: ContextSize;
  /** Undefined if only flushes and resets end utterances. */
  readonly endpointing?: EndpointingRequest | undefined;
  /** Phrases that the search prefers. */
  readonly phrases?: readonly Required<Phrase>[] | undefined;
  /** Trace context of the stream. Undefined if the session is not traced. */
  readonly traceparent: string | undefined;
  /**
   * Number of samples at the start of the stream that are a replay. They arrive at once, so the worker does not count
   * them as ahead of real time.
   */
  readonly replayedSamples: number;
  /** Timeout for connecting. */
  readonly openTimeoutMs: number;
}

export interface ChannelEvents {
  onAnswer: (answer: RelayAnswer) => void;
  /** Called when the worker has closed the stream, or when the connection has failed or could not be opened. */
  onLost: (reason: string) => void;
  /** Called instead of `onLost` if the certificate does not prove that the address belongs to a worker of the model. */
  onWrongWorker: (reason: string) => void;
}

/** The channel of one stream to its worker, on a connection that many streams share. */
export interface WorkerChannel {
  /** Time of the last `alive` message, which concerns all streams of the connection. */
  readonly aliveAtMs: number;
  audio: (pcm: Buffer) => void;
  mark: (mark: Mark) => void;
  /**
   * Ends the stream at the worker. No callback is called afterwards. `reopens` is true if the session is about to open
   * another stream at the same worker.
   */
  close: (reopens?: boolean) => void;
}
