import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { RELAY_CLOSE, RESUME_REFUSED_STATUS } from '@svc-asr/core';
import type { Logger, Tracing } from '@svc-asr/runtime';
import type { EngineClient } from '../engine/client.ts';
import { StreamTrace } from '../telemetry/stream-trace.ts';
import { GatewayConnection } from './gateway-connection.ts';
import type { ConnectionLimits } from './gateway-connection.ts';
import { acceptUpgrade, readUpgrade, refuseUpgrade } from './relay-upgrade.ts';
import type { UpgradeRequest } from './relay-upgrade.ts';
import { RelayStream } from './relay-stream.ts';
import type { EndCode, StreamChannel } from './relay-stream.ts';
import type { TicketGate } from './tickets.ts';

export interface RelayParts {
  readonly server: Server;
  readonly engine: Pick<EngineClient, 'info' | 'open'>;
  readonly tickets: TicketGate;
  readonly limits: ConnectionLimits & {
    readonly pingMs: number;
    readonly slotWaitMs: number;
    /**
     * Time in which a gateway can resume a connection after the socket was lost. 0 if connections cannot be resumed.
     */
    readonly resumeMs: number;
    /** Interval of the log lines that report which streams a draining worker waits for. */
    readonly reportMs: number;
  };
  readonly metrics: {
    readonly countSamples: (samples: number) => void;
    readonly countEnd: (code: EndCode) => void;
  };
  readonly logger: Logger;
  /** Returns the present time of the clock that determines when tickets expire. */
  readonly nowMs?: () => number;
  /** Undefined if tracing is disabled. */
  readonly tracing?: Tracing | undefined;
  /** Attributes of this worker's spans. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Time that a draining worker waits for a gateway that closed a stream to reopen it with another context. */
const REOPEN_MS = 10_000;
/** Maximum number of streams that a log line about a draining worker lists. */
const MAX_LISTED = 20;
/**
 * Number of bytes of the token with which a gateway resumes a connection. The gateway identifies itself only with this
 * token, so the token must be unguessable.
 */
const TOKEN_BYTES = 32;

/** Serves streams of the engine to gateways with valid tickets. */
export class Relay {
  readonly #parts: RelayParts;
  readonly #connections = new Set<GatewayConnection>();
  /** The resumable connections, by token. */
  readonly #resumable = new Map<string, GatewayConnection>();
  /**
   * Streams that have not ended, with the ids of their sessions. The id is undefined for a stream without a valid
   * ticket.
   */
  readonly #streams = new Map<RelayStream, string | undefined>();
  readonly #pinging: NodeJS.Timeout;
  /** Streams that gateways were asked to move because this worker has too many streams. */
  readonly #excess = new Set<RelayStream>();
  /**
   * Sessions that had a stream on this worker when it started to refuse new streams. Undefined while it accepts new
   * streams.
   */
  #remaining: ReadonlySet<string | undefined> | undefined;
  /**
   * Time until which gateways should have moved their streams. Undefined if gateways were not asked to move all
   * streams. Infinity if there is no time limit yet.
   */
  #moveUntilMs: number | undefined;
  #onEmpty: () => void = () => undefined;
  /** Time until which a draining worker waits for a gateway to reopen a stream with another context. */
  #reopensUntilMs = -Infinity;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    parts.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const upgrade = readUpgrade(request);
      if (upgrade === undefined) refuseUpgrade(socket, 404);
      else if (upgrade.kind === 'resume') this.#resume(upgrade, socket, head);
      else this.#connect(upgrade, socket, head);
    });
    this.#pinging = setInterval(() => {
      for (const connection of this.#connections) connection.ping();
    }, parts.limits.pingMs);
  }

  /** Number of streams that have not ended. */
  get size(): number {
    return this.#streams.size;
  }

  /** Reports to gateways that inference makes progress. Gateways without streams on this worker get no report. */
  alive(): void {
    for (const connection of this.#connections) connection.alive();
  }

  /** Stops accepting new streams. A session with a stream on this worker can still reopen it with another context. */
  refuse(): void {
    this.#remaining ??= new Set(this.#streams.values());
  }

  /**
   * Asks gateways to move their streams to other workers. `withinMs` is the time limit for these moves, if there is
   * one.
   */
  move(withinMs?: number): void {
    this.#moveUntilMs = performance.now() + (withinMs ?? Infinity);
    for (const stream of [...this.#streams.keys()]) stream.move(withinMs);
  }

  /**
   * Asks gateways to move this share of the streams to workers with free slots. Streams that gateways were already
   * asked to move count towards the share. The oldest streams come first. So a stream that has just moved to this
   * worker does not immediately move again.
   */
  moveExcess(share: number): void {
    // After a call of `move`, gateways were already asked to move all streams.
    if (this.#moveUntilMs !== undefined) return;
    const count = Math.round(share * this.#streams.size);
    for (const stream of this.#streams.keys()) {
      if (this.#excess.size >= count) return;
      if (stream.state !== 'open' || this.#excess.has(stream)) continue;
      this.#excess.add(stream);
      stream.moveIfPossible();
    }
  }

  /**
   * Resolves when all streams have ended and all answers are sent, at the latest after `withinMs`. Returns the number
   * of streams that have not ended.
   */
  async emptied(withinMs: number): Promise<number> {
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
    const sent = this.#becomeEmpty().then(() => {
      return Promise.all([...this.#connections].map((connection) => connection.flushed()));
    });
    const reports = setInterval(() => this.#reportRemaining(), this.#parts.limits.reportMs);
    await Promise.race([sent, timeout]);
    clearInterval(reports);
    return this.#streams.size;
  }

  /** Logs for which streams or answers the draining worker waits. */
  #reportRemaining(): void {
    const { logger } = this.#parts;
    const amount = this.#streams.size;
    if (amount > 0) {
      const listed = [...this.#streams].slice(0, MAX_LISTED);
      const reason = listed.map(([stream, session = 'no session']) => `${session} ${stream.state}`).join(', ');
      logger.info({ amount, reason }, 'the draining worker waits for streams');
    } else if (this.#reopensUntilMs > performance.now()) {
      logger.info('the draining worker waits for a stream that its gateway opens again');
    } else {
      const reason = [...this.#connections].map((connection) => connection.description).join(', ');
      logger.info({ amount: this.#connections.size, reason }, 'the draining worker waits until its answers are sent');
    }
  }

  /** Resolves when there are no streams and no gateway is about to reopen one. */
  async #becomeEmpty(): Promise<void> {
    for (;;) {
      const reopenMs = this.#reopensUntilMs - performance.now();
      if (this.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
      else if (reopenMs > 0) await new Promise((resolve) => setTimeout(resolve, reopenMs));
      else return;
    }
  }

  /** Ends all streams that are still open, and closes the port. */
  async close(): Promise<void> {
    const { server } = this.#parts;
    clearInterval(this.#pinging);
    for (const stream of [...this.#streams.keys()]) stream.fail('closed', 'the worker is shutting down');
    for (const connection of [...this.#connections]) connection.end();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  #connect({ canResume }: Extract<UpgradeRequest, { kind: 'connect' }>, socket: Duplex, head: Buffer): void {
    const { limits, logger } = this.#parts;
    const resumeMs = canResume ? limits.resumeMs : 0;
    const token = resumeMs > 0 ? randomBytes(TOKEN_BYTES).toString('base64url') : undefined;
    acceptUpgrade(socket, token === undefined ? {} : { token, withinMs: resumeMs });
    const connection = new GatewayConnection({
      socket,
      head,
      limits,
      resumeMs,
      admit: (ticket, channel, onEnd) => this.#admit(ticket, channel, onEnd),
      onLost: (reason) => logger.info({ reason }, 'the connection of a gateway was lost'),
      onClose: (reason) => {
        this.#connections.delete(connection);
        if (token !== undefined) this.#resumable.delete(token);
        logger.info({ reason }, 'the connection of a gateway has closed');
      },
    });
    this.#connections.add(connection);
    if (token !== undefined) this.#resumable.set(token, connection);
  }

  #resume({ token, received }: Extract<UpgradeRequest, { kind: 'resume' }>, socket: Duplex, head: Buffer): void {
    const accept = (receivedBytes: number) => acceptUpgrade(socket, { received: receivedBytes });
    const connection = this.#resumable.get(token);
    if (connection?.resume(socket, head, received, accept) === true) {
      this.#parts.logger.info('a gateway has resumed its connection');
    } else refuseUpgrade(socket, RESUME_REFUSED_STATUS);
  }

  /** Creates a stream. If the ticket is invalid, refuses the stream and returns undefined. */
  #admit(text: string | undefined, channel: StreamChannel, onEnd: () => void): RelayStream | undefined {
    const { engine, limits, metrics, tracing, attributes = {}, tickets, nowMs = Date.now } = this.#parts;
    const ticket = text === undefined ? undefined : tickets.admit(text, nowMs());
    const logger = ticket === undefined ? this.#parts.logger : this.#parts.logger.child({ session_id: ticket.session });
    const stream = new RelayStream({
      channel,
      engine,
      slotWaitMs: limits.slotWaitMs,
      accepting: () => this.#remaining?.has(ticket?.session) !== false,
      onOpened: () => this.#requestMove(stream),
      onAudio: (samples) => metrics.countSamples(samples),
      trace: (traceparent) => StreamTrace.of(tracing, traceparent, attributes),
      onEnd: (code) => {
        this.#streams.delete(stream);
        this.#excess.delete(stream);
        onEnd();
        if (code === 'reopened') this.#reopensUntilMs = performance.now() + REOPEN_MS;
        metrics.countEnd(code === 'reopened' ? 'done' : code);
        logger[levelOf(code)]({ code }, 'stream ended');
        if (this.size === 0) this.#onEmpty();
      },
    });
    this.#streams.set(stream, ticket?.session);
    if (ticket === undefined) {
      stream.fail('bad_ticket', 'the ticket is not valid for this worker or was already used', RELAY_CLOSE.badTicket);
    }
    return this.#streams.has(stream) ? stream : undefined;
  }

  /** Asks the gateway to move a stream that was just opened, if gateways were asked before to move all streams. */
  #requestMove(stream: RelayStream): void {
    if (this.#moveUntilMs === undefined) return;
    const leftMs = Math.max(0, Math.round(this.#moveUntilMs - performance.now()));
    stream.move(Number.isFinite(leftMs) ? leftMs : undefined);
  }
}

function levelOf(code: EndCode): 'debug' | 'info' | 'warn' {
  if (code === 'done' || code === 'reopened') return 'debug';
  return code === 'lost' || code === 'no_slot' || code === 'draining' ? 'info' : 'warn';
}
