import type { ClientRequest } from 'node:http';
import { TLSSocket } from 'node:tls';
import { parseRelayAnswer, RELAY_PATH } from '@svc-asr/core';
import { WebSocket } from 'ws';
import type { Mark } from './outgoing-stream.ts';
import { buildOpenMessage } from './worker-channel.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';

/** Masks frames with zeros. A real mask (RFC 6455, 10.3) protects proxies from web pages, and would copy all audio. */
function zeroMask(mask: Buffer): void {
  mask.fill(0);
}

/**
 * A stream with a WebSocket of its own, for workers of the version before. It lets streams survive a rolling upgrade.
 * Delete it in the next version.
 */
export class SingleStream implements WorkerChannel {
  readonly aliveAtMs = -Infinity;
  readonly #socket: WebSocket;
  readonly #events: ChannelEvents;
  #over = false;

  constructor(request: ChannelRequest, events: ChannelEvents) {
    this.#events = events;
    /** Undefined once the WebSocket is open. */
    let handshake: ClientRequest | undefined;
    this.#socket = new WebSocket(request.address + RELAY_PATH, {
      ...request.tls,
      headers: { Authorization: `Bearer ${request.ticket}` },
      perMessageDeflate: false,
      followRedirects: false,
      generateMask: zeroMask,
      handshakeTimeout: request.openTimeoutMs,
      finishRequest: (sent) => {
        handshake = sent;
        sent.end();
      },
    });
    this.#socket.on('open', () => {
      handshake = undefined;
      this.#send(buildOpenMessage(request));
    });
    this.#socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    this.#socket.on('error', ({ message }) => {
      const socket = handshake?.socket;
      const refused = socket instanceof TLSSocket && (socket.authorizationError as unknown) !== null;
      this.#lose(() => (refused ? events.onWrongWorker(message) : events.onLost(message)));
    });
    this.#socket.on('close', (code) => this.#lose(() => events.onLost(`the worker closed the stream (${code})`)));
  }

  audio(pcm: Buffer): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(pcm);
  }

  mark(mark: Mark): void {
    this.#send({ type: mark });
  }

  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#socket.on('error', () => undefined);
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate();
    else this.#socket.close(1000);
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#over) return;
    const answer = isBinary ? undefined : parseRelayAnswer(data.toString());
    if (answer?.ok === true) this.#events.onAnswer(answer.message);
    else this.#lose(() => this.#events.onLost('the worker sent a message that is not part of the protocol'));
  }

  #lose(notify: () => void): void {
    if (this.#over) return;
    this.close();
    this.#socket.terminate();
    notify();
  }
}
