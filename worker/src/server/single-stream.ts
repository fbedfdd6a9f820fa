import { parseRelayRequest, RELAY_CLOSE, RELAY_LIMITS } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';
import type { WebSocket } from 'ws';
import { beat, isLost } from './heartbeat.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { ConnectionLimits } from './gateway-connection.ts';
import type { RelayStream, StreamChannel } from './relay-stream.ts';

/** Close codes of a gateway that has finished: done, going away, or no code. */
const NORMAL = new Set<number>([RELAY_CLOSE.done, 1001, 1005]);

/**
 * The WebSocket of one stream. Gateways of the version before use it, so that streams survive a rolling upgrade. Delete
 * it in the next version.
 */
export class SingleStream {
  readonly #socket: WebSocket;
  readonly #limits: ConnectionLimits;
  readonly #stream: RelayStream;
  readonly #openTimer: NodeJS.Timeout;
  #opening = false;
  #received = true;
  #heartbeat: Heartbeat = { missed: 0 };

  /** `create` creates the stream, or refuses it and returns undefined. */
  constructor(socket: WebSocket, limits: ConnectionLimits, create: (channel: StreamChannel) => RelayStream) {
    this.#socket = socket;
    this.#limits = limits;
    this.#openTimer = setTimeout(() => this.#failOpening(), limits.openTimeoutMs);
    socket.on('message', (data: Buffer, isBinary) => {
      this.#received = true;
      this.#receive(data, isBinary);
    });
    socket.on('pong', () => (this.#received = true));
    socket.on('close', (code) => this.#end(NORMAL.has(code) ? 'done' : 'lost'));
    // A `close` event always follows.
    socket.on('error', () => undefined);
    this.#stream = create({
      send: (answer) => this.#send(answer),
      sendConsumed: (samples, utteranceStart) => {
        if (samples > utteranceStart) this.#send({ type: 'consumed', samples: samples - utteranceStart });
      },
      setFull: (full) => {
        if (full && !socket.isPaused) socket.pause();
        if (!full && socket.isPaused) socket.resume();
      },
      close: (closeCode, reason) => {
        // Messages that the gateway has already sent must be read before its answer to the close can arrive.
        if (socket.isPaused) socket.resume();
        socket.close(closeCode, reason);
      },
    });
  }

  alive(): void {
    if (this.#stream.isPending) this.#send({ type: 'alive' });
  }

  /** Cuts the connection if the gateway has not answered pings, and sends the next ping otherwise. */
  ping(): void {
    const socket = this.#socket;
    this.#heartbeat = beat(this.#heartbeat, { received: this.#received, reading: !socket.isPaused });
    this.#received = false;
    if (isLost(this.#heartbeat)) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      this.#stream.receiveAudio(data);
      return;
    }
    const parsed =
      data.length > RELAY_LIMITS.maxMessageBytes
        ? ({ ok: false, reason: `more than ${RELAY_LIMITS.maxMessageBytes} bytes` } as const)
        : parseRelayRequest(data.toString());
    if (!parsed.ok) this.#stream.fail('invalid_message', parsed.reason);
    else if (parsed.message.type !== 'open' || this.#opening) this.#stream.receive(parsed.message);
    else {
      this.#opening = true;
      clearTimeout(this.#openTimer);
      void this.#stream.open(parsed.message);
    }
  }

  #send(answer: RelayAnswer): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(answer));
    if (socket.bufferedAmount <= this.#limits.unsentBytes) return;
    this.#end('slow_reader');
    socket.terminate();
  }

  #failOpening(): void {
    this.#stream.fail('open_timeout', 'the open message did not arrive in time');
  }

  #end(code: 'done' | 'lost' | 'slow_reader'): void {
    clearTimeout(this.#openTimer);
    this.#stream.end(code);
  }
}
