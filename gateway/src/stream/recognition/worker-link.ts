import type { RelayAnswer } from '@svc-asr/core';
import type { Mark } from './outgoing-stream.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';
import type { WorkerConnections } from './worker-connections.ts';

export interface WorkerLinkOptions extends ChannelRequest {
  onMessage: (message: RelayAnswer) => void;
  /** Called once when the link has failed, and never after `close()`. */
  onLost: (reason: string) => void;
  /** Called instead of `onLost` if the certificate does not prove that the address is that of a worker of the model. */
  onWrongWorker: (reason: string) => void;
}

/** A stream at its worker, from opening it to its end. */
export class WorkerLink {
  /** Time at which the worker opened the stream, or at which the link was created before that. */
  openedAtMs = performance.now();
  readonly #options: WorkerLinkOptions;
  readonly #connections: WorkerConnections;
  readonly #timer: NodeJS.Timeout;
  readonly #channel: WorkerChannel;
  #silentSinceMs = performance.now();
  #closed = false;

  constructor(connections: WorkerConnections, options: WorkerLinkOptions) {
    this.#options = options;
    this.#connections = connections;
    this.#timer = setTimeout(() => this.#expire(), options.openTimeoutMs);
    this.#channel = this.#open();
  }

  /** Last message of the worker, or the last time at which it had no work to do. Its silence starts then. */
  get silentSinceMs(): number {
    return Math.max(this.#silentSinceMs, this.#channel.aliveAtMs);
  }

  /** Call while the worker has no work to do for this stream. */
  excuseSilence(nowMs: number): void {
    this.#silentSinceMs = nowMs;
  }

  audio(pcm: Buffer): void {
    this.#channel.audio(pcm);
  }

  mark(mark: Mark): void {
    this.#channel.mark(mark);
  }

  /** Ends the link without a call of `onLost`. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#channel.close();
  }

  #open(): WorkerChannel {
    const { onLost, onWrongWorker } = this.#options;
    const events: ChannelEvents = {
      onAnswer: (answer) => this.#receive(answer),
      onLost: (reason) => this.#fail(() => onLost(reason)),
      onWrongWorker: (reason) => this.#fail(() => onWrongWorker(reason)),
    };
    return this.#connections.open(this.#options, events);
  }

  #receive(answer: RelayAnswer): void {
    if (this.#closed) return;
    this.#silentSinceMs = performance.now();
    if (answer.type === 'opened') {
      clearTimeout(this.#timer);
      this.openedAtMs = performance.now();
    }
    this.#options.onMessage(answer);
  }

  /** The connection may be broken without a sign of it, so that the next stream must not use it. */
  #expire(): void {
    this.#connections.retire(this.#options);
    this.#fail(() => this.#options.onLost('the worker did not open the stream in time'));
  }

  #fail(notify: () => void): void {
    if (this.#closed) return;
    this.close();
    notify();
  }
}
