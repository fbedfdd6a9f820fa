import type { ClientRequest } from 'node:http';
import { TLSSocket } from 'node:tls';
import { parseRelayAnswer, RELAY_PATH } from '@svc-asr/core';
import type { ContextSize, RelayAnswer } from '@svc-asr/core';
import { WebSocket } from 'ws';
import type { WorkerTls } from './worker-trust.ts';

export interface WorkerLinkOptions {
  address: string;
  ticket: string;
  tls: WorkerTls;
  context: ContextSize;
  /** Trace context of the stream. Undefined if the session is not traced. */
  traceparent: string | undefined;
  /** Samples that are sent for a second time. The worker does not count them as ahead of real time. */
  replayedSamples: number;
  /** Longest time for connecting and opening the stream together. */
  openTimeoutMs: number;
  onMessage: (message: RelayAnswer) => void;
  /** Called once when the link has failed, and never after `close()`. */
  onLost: (reason: string) => void;
  /** Called instead of `onLost` if the certificate does not prove that the address is that of a worker of the model. */
  onWrongWorker: (reason: string) => void;
}

/**
 * Masks frames with zeros, which leaves audio unchanged. Masking protects proxies from scripts of web pages (RFC 6455,
 * 10.3). Neither exists between gateway and worker, and a real mask would copy all audio once more.
 */
function zeroMask(mask: Buffer): void {
  mask.fill(0);
}

/**
 * Returns whether TLS refused the certificate of the worker. An error of `checkServerIdentity` is only one of the
 * reasons. TLS does not call it for a certificate from an unknown CA.
 */
function isCertificateRefused(request: ClientRequest | undefined): boolean {
  const socket = request?.socket;
  // Null unless the verification failed, although its type says otherwise.
  return socket instanceof TLSSocket && (socket.authorizationError as unknown) !== null;
}

/** Connection of one stream to its worker. */
export class WorkerLink {
  /** Start of the worker's silence: its last message, or the last check at which it had no work to do. */
  silentSinceMs = performance.now();
  /** Time at which the worker opened the stream, or at which the link was created before that. */
  openedAtMs = performance.now();
  readonly #socket: WebSocket;
  readonly #timer: NodeJS.Timeout;
  readonly #options: WorkerLinkOptions;
  #closed = false;

  constructor(options: WorkerLinkOptions) {
    this.#options = options;
    /** Undefined once the WebSocket is open. */
    let request: ClientRequest | undefined;
    this.#socket = new WebSocket(options.address + RELAY_PATH, {
      ...options.tls,
      headers: { Authorization: `Bearer ${options.ticket}` },
      perMessageDeflate: false,
      followRedirects: false,
      generateMask: zeroMask,
      handshakeTimeout: options.openTimeoutMs,
      finishRequest: (handshake) => {
        request = handshake;
        handshake.end();
      },
    });
    this.#timer = setTimeout(() => this.#fail('the worker did not open the stream in time'), options.openTimeoutMs);
    const { context, replayedSamples, traceparent } = options;
    this.#socket.on('open', () => {
      request = undefined;
      this.send({ type: 'open', context, realtime_from: replayedSamples, traceparent });
    });
    this.#socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    this.#socket.on('error', (error) => {
      this.#fail(error.message, isCertificateRefused(request) ? options.onWrongWorker : options.onLost);
    });
    this.#socket.on('close', (code) => this.#fail(`the worker closed the stream (${code})`));
  }

  audio(pcm: Buffer): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(pcm);
  }

  send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Ends the link without a call of `onLost`. */
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
      this.#fail('the worker sent a message that is not part of the protocol');
      return;
    }
    if (answer.message.type === 'opened') {
      clearTimeout(this.#timer);
      this.openedAtMs = performance.now();
    }
    this.#options.onMessage(answer.message);
  }

  #fail(reason: string, onFailed = this.#options.onLost): void {
    if (this.#closed) return;
    this.close();
    this.#socket.terminate();
    onFailed(reason);
  }
}
