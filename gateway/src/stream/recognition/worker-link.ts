import { parseRelayAnswer, RELAY_PATH } from '@svc-asr/core';
import type { ContextSize, RelayAnswer } from '@svc-asr/core';
import { WebSocket } from 'ws';

export interface WorkerLinkOptions {
  address: string;
  ticket: string;
  /** What a worker behind wss:// has to prove. */
  tls: { ca?: Buffer; servername?: string };
  context: ContextSize;
  /** The trace that the stream belongs to; undefined: none. */
  traceparent: string | undefined;
  /** Samples that are sent a second time: they do not count as ahead of time. */
  replayedSamples: number;
  /** How long connecting and opening may take. */
  openTimeoutMs: number;
  onMessage: (message: RelayAnswer) => void;
  /** Called once, when the link is of no more use; never after `close()`. */
  onLost: (reason: string) => void;
}

/**
 * A mask of zeros leaves audio as it is. Masks keep scripts of web pages from choosing what careless proxies see; between
 * gateway and worker there are neither, and masking would copy all audio once more.
 */
function zeroMask(mask: Buffer): void {
  mask.fill(0);
}

/** The connection of one stream to its worker. */
export class WorkerLink {
  /** Start of the worker's silence: its last message, or the last check at which it had no work to do. */
  silentSinceMs = performance.now();
  readonly #socket: WebSocket;
  readonly #timer: NodeJS.Timeout;
  readonly #options: WorkerLinkOptions;
  #closed = false;

  constructor(options: WorkerLinkOptions) {
    this.#options = options;
    this.#socket = new WebSocket(options.address + RELAY_PATH, {
      ...options.tls,
      headers: { Authorization: `Bearer ${options.ticket}` },
      perMessageDeflate: false,
      followRedirects: false,
      generateMask: zeroMask,
      handshakeTimeout: options.openTimeoutMs,
    });
    this.#timer = setTimeout(() => this.#lost('it did not open the stream in time'), options.openTimeoutMs);
    const { context, replayedSamples, traceparent } = options;
    this.#socket.on('open', () => this.send({ type: 'open', context, realtime_from: replayedSamples, traceparent }));
    this.#socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    this.#socket.on('error', (error) => this.#lost(error.message));
    this.#socket.on('close', (code) => this.#lost(`it closed the stream (${code})`));
  }

  audio(pcm: Buffer): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(pcm);
  }

  send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Ends the link without a word to `onLost`. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket.on('error', () => undefined);
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate();
    else this.#socket.close(1000);
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#closed) return;
    this.silentSinceMs = performance.now();
    const answer = isBinary ? undefined : parseRelayAnswer(data.toString());
    if (answer?.ok !== true) {
      this.#lost('it sent something that is not of the protocol');
      return;
    }
    if (answer.message.type === 'opened') clearTimeout(this.#timer);
    this.#options.onMessage(answer.message);
  }

  #lost(reason: string): void {
    if (this.#closed) return;
    this.close();
    this.#socket.terminate();
    this.#options.onLost(reason);
  }
}
