import type { RelayAnswer } from '@svc-asr/core';
import type { Mark } from './outgoing-stream.ts';
import type { Utterance } from './utterance.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';
import type { WorkerConnections } from './worker-connections.ts';

export interface LinkEvents {
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
  /** May be replaced, when another part of the stream takes over the link. */
  events: LinkEvents;
  /** Utterance that `not_before` of the request is about. Undefined if the worker may cut the first one anywhere. */
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

  /** Ends the link without a call of `onLost`. `reopens` if the session opens another stream at the worker. */
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

  /** The connection may be broken without a sign of it, so that the next stream must not use it. */
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
