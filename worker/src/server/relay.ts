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

/** All connections of gateways. */
export interface Relay {
  /** Number of connections that have not ended. */
  readonly size: number;
  /** Notifies gateways with pending work that inference makes progress. */
  alive: () => void;
  /** Stops accepting new streams. */
  refuse: () => void;
  /** Asks gateways to move their streams to other workers. */
  move: () => void;
  /** Resolves when all connections have closed or after this time, with the number of open connections. */
  emptied: (withinMs: number) => Promise<number>;
  /** Ends the remaining connections and closes the port. */
  close: () => Promise<void>;
}

/** Longest time for a gateway to answer a close before its socket is destroyed. */
const CLOSE_TIMEOUT_MS = 1000;

/** Serves streams of the engine to gateways with a valid ticket. */
export function startRelay(parts: RelayParts): Relay {
  const { server, engine, tickets, limits, metrics, logger, tracing, attributes = {} } = parts;
  const options = { noServer: true, perMessageDeflate: false, clientTracking: false, closeTimeout: CLOSE_TIMEOUT_MS };
  const sockets = new WebSocketServer({ ...options, maxPayload: RELAY_LIMITS.maxFrameBytes });
  const connections = new Set<Connection>();
  const open = new Set<WebSocket>();
  let accepting = true;
  let onEmpty: () => void = () => undefined;

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.split('?')[0] !== RELAY_PATH) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => admit(accepted, request));
  });

  function admit(socket: WebSocket, request: IncomingMessage): void {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) onEmpty();
    });
    // A gateway that is refused while draining may use its ticket again, so the ticket is not checked.
    const ticket = accepting ? tickets.admit(request.headers.authorization, Date.now()) : undefined;
    const log = ticket === undefined ? logger : logger.child({ session_id: ticket.session });
    const connection = new Connection({
      socket,
      engine,
      limits,
      accepting: () => accepting,
      onAudio: (samples) => metrics.countAudio(samples / AUDIO.sampleRateHz),
      trace: (traceparent) => StreamTrace.of(tracing, traceparent, attributes),
      onEnd: (code) => {
        connections.delete(connection);
        metrics.countEnd(code);
        log[levelOf(code)]({ code }, 'connection ended');
      },
    });
    connections.add(connection);
    if (!accepting) connection.move();
    else if (ticket === undefined) {
      connection.fail(
        'bad_ticket',
        'the ticket is not valid for this worker or was already used',
        RELAY_CLOSE.badTicket,
      );
    }
  }

  const pinging = setInterval(() => {
    for (const connection of connections) connection.ping();
  }, limits.pingMs);

  return {
    get size() {
      return connections.size;
    },
    alive: () => {
      for (const connection of connections) connection.alive();
    },
    refuse: () => {
      accepting = false;
    },
    move: () => {
      for (const connection of [...connections]) connection.move();
    },
    emptied: async (withinMs) => {
      if (open.size > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs);
          onEmpty = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return open.size;
    },
    close: async () => {
      clearInterval(pinging);
      for (const connection of [...connections]) connection.fail('closed', 'the worker is shutting down');
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function levelOf(code: EndCode): 'debug' | 'info' | 'warn' {
  if (code === 'done') return 'debug';
  return code === 'lost' || code === 'no_slot' || code === 'draining' ? 'info' : 'warn';
}
