import type { RelayAnswer } from '@svc-asr/core';
import type { Mark } from './outgoing-stream.ts';
import type { Utterance } from './utterance.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';
import type { WorkerConnections } from './worker-connections.ts';

export interface LinkEvents {
  onMessage: (message: RelayAnswer) => void;
  /** Called once when the link has failed, and never after `close()`. */
  onLost: (reason: string) => void;
  /** Called instead of `onLost` if the certificate does not prove that the address belongs to a worker of the model. */
  onWrongWorker: (reason: string) => void;
}

/** A stream at its worker, from the request to open the stream until the stream ends. */
export class WorkerLink {
  /** Time at which the worker opened the stream. Before that, the time at which the link was created. */
  openedAtMs = performance.now();
  /** Callbacks. They are replaced when another part of the gateway takes over the link. */
  events: LinkEvents;
  /**
   * Utterance that the worker must not cut before the position `not_before`, which the request contains. Undefined if
   * the worker may cut the first utterance anywhere.
   */
  notBeforeOf: Utterance | undefined;
  readonly #request: ChannelRequest;
  readonly #connections: WorkerConnections;
  readonly #timer: NodeJS.Timeout;
  readonly #channel: WorkerChannel;
  #silentSinceMs = performance.now();
  #closed = false;

  constructor(connections: WorkerConnections, request: ChannelRequest, events: LinkEvents) {
    this.#request = request;
    this.events = events;
    this.#connections = connections;
    this.#timer = setTimeout(() => this.#expire(), request.openTimeoutMs);
    this.#channel = this.#open();
  }

  get address(): string {
    return this.#request.address;
  }

  /**
   * Time of the last message of the worker, or the last time at which the worker had no work to do. The silence of the
   * worker counts from this time.
   */
  get silentSinceMs(): number {
    return Math.max(this.#silentSinceMs, this.#channel.aliveAtMs);
  }

  /** Restarts the count of the worker's silence. Call while the worker has no work to do for this stream. */
  excuseSilence(nowMs: number): void {
    this.#silentSinceMs = nowMs;
  }

  audio(pcm: Buffer): void {
    this.#channel.audio(pcm);
  }

  mark(mark: Mark): void {
    this.#channel.mark(mark);
  }

  /**
   * Ends the link without calling `onLost`. `reopens` is true if the session is about to open another stream at the
   * same worker.
   */
  close(reopens = false): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#channel.close(reopens);
  }

  #open(): WorkerChannel {
    const events: ChannelEvents = {
      onAnswer: (answer) => this.#receive(answer),
      onLost: (reason) => this.#fail(() => this.events.onLost(reason)),
      onWrongWorker: (reason) => this.#fail(() => this.events.onWrongWorker(reason)),
    };
    return this.#connections.open(this.#request, events);
  }

  #receive(answer: RelayAnswer): void {
    if (this.#closed) return;
    this.#silentSinceMs = performance.now();
    if (answer.type === 'opened') {
      clearTimeout(this.#timer);
      this.openedAtMs = performance.now();
    }
    this.events.onMessage(answer);
  }

  /**
   * Called when the worker did not open the stream in time. The connection may be broken although TCP has not reported
   * it. The next stream must therefore not use this connection.
   */
  #expire(): void {
    this.#connections.retire(this.#request);
    this.#fail(() => this.events.onLost('the worker did not open the stream in time'));
  }

  #fail(notify: () => void): void {
    if (this.#closed) return;
    this.close();
    notify();
  }
}
