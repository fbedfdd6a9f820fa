import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { AUDIO, RELAY_CLOSE, RELAY_LIMITS, RELAY_PATH } from '@svc-asr/core';
import type { Logger, Tracing } from '@svc-asr/runtime';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Engine } from '../engine/engine.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { StreamTrace } from '../telemetry/stream-trace.ts';
import { Connection } from './connection.ts';
import type { ConnectionLimits, EndCode } from './connection.ts';
import type { TicketGate } from './tickets.ts';

export interface RelayParts {
  readonly server: Server;
  readonly engine: Engine;
  readonly tickets: TicketGate;
  readonly limits: ConnectionLimits & { readonly pingMs: number };
  readonly metrics: Pick<WorkerMetrics, 'countAudio' | 'countEnd'>;
  readonly logger: Logger;
  /** Undefined if tracing is disabled. */
  readonly tracing?: Tracing | undefined;
  /** Attributes of this worker's spans. */
  readonly attributes?: Readonly<Record<string, string>>;
}

const SOCKET_OPTIONS = {
  noServer: true,
  perMessageDeflate: false,
  clientTracking: false,
  maxPayload: RELAY_LIMITS.maxFrameBytes,
  /** Longest time for a gateway to answer a close before its socket is destroyed. @types/ws does not declare it. */
  closeTimeout: 1000,
};
const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Serves streams of the engine to gateways with a valid ticket. */
export class Relay {
  readonly #parts: RelayParts;
  readonly #sockets = new WebSocketServer(SOCKET_OPTIONS);
  /** Connections that have not ended. */
  readonly #connections = new Set<Connection>();
  /** Sockets that are not closed. Some belong to connections that have ended. */
  readonly #open = new Set<WebSocket>();
  readonly #pinging: NodeJS.Timeout;
  #accepting = true;
  #onEmpty: () => void = () => undefined;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    parts.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (request.url?.split('?')[0] === RELAY_PATH) {
        this.#sockets.handleUpgrade(request, socket, head, (accepted) => this.#admit(accepted, request));
      } else socket.end(NOT_FOUND);
    });
    this.#pinging = setInterval(() => {
      for (const connection of this.#connections) connection.ping();
    }, parts.limits.pingMs);
  }

  /** Number of connections that have not ended. */
  get size(): number {
    return this.#connections.size;
  }

  /** Notifies gateways with pending work that inference makes progress. */
  alive(): void {
    for (const connection of this.#connections) connection.alive();
  }

  /** Stops accepting new streams. */
  refuse(): void {
    this.#accepting = false;
  }

  /** Asks gateways to move their streams to other workers. */
  move(): void {
    for (const connection of [...this.#connections]) connection.move();
  }

  /** Resolves when all connections have closed or after this time, with the number of open connections. */
  async emptied(withinMs: number): Promise<number> {
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#open.size;
  }

  /** Ends the remaining connections and closes the port. */
  async close(): Promise<void> {
    const { server } = this.#parts;
    clearInterval(this.#pinging);
    for (const connection of [...this.#connections]) connection.fail('closed', 'the worker is shutting down');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  #admit(socket: WebSocket, request: IncomingMessage): void {
    const { tickets, logger } = this.#parts;
    this.#track(socket);
    // A gateway that is refused while draining may use its ticket again, so the ticket is not checked.
    const ticket = this.#accepting ? tickets.admit(request.headers.authorization, Date.now()) : undefined;
    const connection = this.#connect(
      socket,
      ticket === undefined ? logger : logger.child({ session_id: ticket.session }),
    );
    if (!this.#accepting) connection.move();
    else if (ticket === undefined) {
      connection.fail(
        'bad_ticket',
        'the ticket is not valid for this worker or was already used',
        RELAY_CLOSE.badTicket,
      );
    }
  }

  #track(socket: WebSocket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size === 0) this.#onEmpty();
    });
  }

  #connect(socket: WebSocket, logger: Logger): Connection {
    const { engine, limits, metrics, tracing, attributes = {} } = this.#parts;
    const connection = new Connection({
      socket,
      engine,
      limits,
      accepting: () => this.#accepting,
      onAudio: (samples) => metrics.countAudio(samples / AUDIO.sampleRateHz),
      trace: (traceparent) => StreamTrace.of(tracing, traceparent, attributes),
      onEnd: (code) => {
        this.#connections.delete(connection);
        metrics.countEnd(code);
        logger[levelOf(code)]({ code }, 'connection ended');
      },
    });
    this.#connections.add(connection);
    return connection;
  }
}

function levelOf(code: EndCode): 'debug' | 'info' | 'warn' {
  if (code === 'done') return 'debug';
  return code === 'lost' || code === 'no_slot' || code === 'draining' ? 'info' : 'warn';
}
