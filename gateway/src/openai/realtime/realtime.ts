import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, REALTIME_LIMITS, REALTIME_PATH } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { admitTenant, requireRate } from '../../auth/admit.ts';
import type { RecognizedKey, VerifiedKey } from '../../auth/authenticate.ts';
import type { RateBlocks } from '../../auth/rate-blocks.ts';
import type { RefusalDelay } from '../../auth/refusal-delay.ts';
import { checkScope, requireModel } from '../../auth/scopes.ts';
import type { RefusalLog } from '../../http/refusal-log.ts';
import type { LedgerWatch } from '../../ledger-watch.ts';
import { modelNotFound } from '../../model-not-found.ts';
import type { AudioBudget } from '../../stream/audio-memory/audio-budget.ts';
import { Client, ClientSocket } from '../../stream/client/client.ts';
import { Clocks } from '../../stream/client/clocks.ts';
import { refuse } from '../../stream/handshake/handshake.ts';
import { Refusals } from '../../stream/handshake/refusals.ts';
import { Ticker } from '../../stream/ticker.ts';
import { TenantPlaces } from '../../tenant-places.ts';
import { Connection } from './connection.ts';
import { openSession } from './open-session.ts';
import type { OpenSessionParts, RealtimeCaller } from './open-session.ts';
import { readTarget, SUBPROTOCOL } from './target.ts';

export interface RealtimeOptions extends OpenSessionParts {
  budget: AudioBudget;
  ledgerWatch: LedgerWatch;
  rateBlocks: RateBlocks;
  refusalDelay: RefusalDelay;
  refusals: Pick<RefusalLog, 'record'>;
  logger: Logger;
  /** Returns the address of a client. Failed handshakes are counted by this address. */
  addressOf: (request: IncomingMessage) => string;
  /** Number of invalid handshakes per second that one address may send. */
  refusalsPerSecond: number;
  idleMs: number;
  pingMs: number;
  lifetimeMs: number;
  /** Maximum lifetime of a stream, without the duration of its reserved audio. */
  extraMs: number;
  /** Maximum number of connections to this gateway. One tenant may open half of these connections. */
  maxConnections: number;
}

/** Maximum number of fragments of a message. Fragments are kept until the last one has arrived. */
const MAX_FRAGMENTS = 256;
const MAX_TICK_MS = 1000;
const FULL =
  'The account already has half of the connections that this gateway accepts. Close one of them before you open another.';
/** Method and route of every handshake, for the records of refused handshakes. */
const REQUEST = { method: 'GET', route: REALTIME_PATH };

/** Caller of a handshake, as far as it is known when the handshake is refused. */
interface Caller {
  key?: RecognizedKey;
  model?: string | undefined;
}

/** Handles GET /v1/realtime. It manages all realtime connections of this gateway. */
export class Realtime {
  readonly #options: RealtimeOptions;
  readonly #refusals: Refusals;
  readonly #live = new Map<Connection, WebSocket>();
  readonly #ticker: Ticker;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    WebSocket: ClientSocket,
    maxPayload: REALTIME_LIMITS.maxMessageBytes,
    maxFragments: MAX_FRAGMENTS,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  readonly #requestIds = new WeakMap<IncomingMessage, string>();
  readonly #places: TenantPlaces;
  #isDraining = false;

  constructor(options: RealtimeOptions) {
    this.#options = options;
    this.#refusals = new Refusals(options.refusalsPerSecond, options.refusalDelay);
    this.#places = new TenantPlaces(options.maxConnections, FULL);
    this.#ticker = new Ticker(Math.min(MAX_TICK_MS, options.pingMs / 4));
    this.#sockets.on('headers', (lines, request) => {
      lines.push(`X-Request-Id: ${this.#requestIds.get(request) ?? ''}`);
    });
  }

  get count(): number {
    return this.#live.size;
  }

  /** Handles an upgrade request. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const requestId = randomUUID();
    const fields = { request_id: requestId, route: REALTIME_PATH };
    this.#requestIds.set(request, requestId);
    const { logger, metrics, refusals } = this.#options;
    const caller: Caller = {};
    try {
      const { key, model } = await this.#authorize(request, caller);
      const { tenant, keyId: key_id } = key;
      // A connection counts against the limit of its tenant even without a session, because it may stay open for an
      // hour.
      socket.once('close', this.#places.take(tenant));
      this.#sockets.handleUpgrade(request, socket, head, (client) =>
        this.#connect(client, { ...key, requestId }, model),
      );
      metrics.handshakes.add(1, { code: 'ok' });
      logger.info({ ...fields, tenant, key_id, status: 101 }, 'realtime connection opened');
    } catch (error) {
      const { status, code } = refuse(socket, error, requestId);
      metrics.handshakes.add(1, { code });
      logger.info({ ...fields, status, code }, 'handshake refused');
      if (caller.key === undefined) return;
      const message = error instanceof ApiError ? error.message : undefined;
      refusals.record({ ...caller.key, ...REQUEST, requestId, status, code, message, model: caller.model });
    }
  }

  /** Closes connections without a session now, and all other connections when their sessions end. */
  drain(): void {
    this.#isDraining = true;
    for (const connection of this.#live.keys()) connection.drain();
  }

  /** Disconnects the clients that are still connected. Call it after the streams have drained. */
  stop(): void {
    this.#ticker.stop();
    for (const socket of this.#live.values()) socket.terminate();
  }

  /** Checks a handshake in the same order as the other routes that require an API key. */
  async #authorize(request: IncomingMessage, caller: Caller): Promise<{ key: VerifiedKey; model: string | undefined }> {
    const { keys, catalogue, addressOf } = this.#options;
    const { model } = await this.#readTarget(request);
    caller.model = model;
    const onRecognized = (found: RecognizedKey) => void (caller.key = found);
    const key = await keys.verify(request.headers.authorization, () => addressOf(request), onRecognized);
    requireRate(await admitTenant(this.#options, key.tenant));
    checkScope(key.keyLimits, 'sessions:create');
    if (model !== undefined) requireExistingModel(key, model, catalogue.has(model));
    if (this.#isDraining) throw new ApiError('service_unavailable', { message: 'This gateway is shutting down.' });
    return { key, model };
  }

  async #readTarget(request: IncomingMessage): Promise<{ model: string | undefined }> {
    try {
      return readTarget(request);
    } catch (error) {
      await this.#refusals.countForAddress(this.#options.addressOf(request), performance.now());
      throw error;
    }
  }

  #connect(socket: WebSocket, caller: RealtimeCaller, model: string | undefined): void {
    const { catalogue, budget, idleMs, pingMs, lifetimeMs, extraMs } = this.#options;
    const client = new Client(socket);
    const connection = new Connection(
      {
        requireModel: (id) => requireExistingModel(caller, id, catalogue.has(id)),
        languageOf: (id) => catalogue.entries()?.find((entry) => entry.id === id)?.languageCode,
        contextsOf: (id) => catalogue.contextsOf(id),
        refreshContexts: (id) => catalogue.refreshContexts(id),
        takeMemory: () => budget.take(),
        open: (id, streamClient) => openSession(this.#options, caller, id, streamClient),
        idleMs,
        extraMs: extraMs / 2,
        lifetimeMs,
      },
      {
        send: (text) => client.sendText(text),
        read: (on) => client.read(on),
        close: (code, reason) => client.close(code, reason),
      },
      model,
    );
    const clocks = new Clocks(this.#ticker, {
      idleMs: Infinity,
      pingMs,
      lifetimeMs,
      isReading: () => client.isReading,
      owesAnswer: () => false,
      ping: () => client.ping(),
      onIdle: () => undefined,
      onUnresponsive: () => client.terminate(),
      onLifetime: () => connection.finish(),
    });
    this.#live.set(connection, socket);
    socket.on('message', (data: Buffer, isBinary) => {
      clocks.onPong();
      connection.receive(data, isBinary);
    });
    socket.on('ping', () => client.cutOffUnread());
    socket.on('pong', () => clocks.onPong());
    socket.on('broken', (code: number) => connection.onProtocolError(code));
    // The error needs no handling, because a `close` event always follows and is handled.
    socket.on('error', () => undefined);
    socket.on('close', (code) => {
      clocks.stop();
      this.#live.delete(connection);
      connection.onClosed(code);
    });
  }
}

function requireExistingModel({ keyLimits }: VerifiedKey, model: string, exists: boolean): void {
  requireModel(keyLimits, model, exists);
  if (!exists) throw modelNotFound(model);
}
