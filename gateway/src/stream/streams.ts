import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, STREAM_LIMITS, STREAM_SUBPROTOCOL } from '@svc-asr/core';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Tracing } from '@svc-asr/runtime';
import type { RefusalDelay } from '../auth/refusal-delay.ts';
import type { CatalogueView } from '../catalogue.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { repeat } from '../repeat.ts';
import type { CreatedSession } from '../sessions/create.ts';
import { HandshakeWatch } from '../telemetry/handshake-watch.ts';
import type { StreamWatch } from '../telemetry/stream-watch.ts';
import { endCancelled, endSuspended } from './account-checks.ts';
import type { AudioBudget, SizedShare } from './audio-memory/audio-budget.ts';
import { Chain } from './chain/chain.ts';
import { Attempts } from './handshake/attempts.ts';
import { Client, ClientSocket } from './client/client.ts';
import type { StreamClient } from './client/client.ts';
import { readWholeFrames } from './client/whole-frames.ts';
import { accept, readOffer, refuse, rollBack, verifyOffer } from './handshake/handshake.ts';
import type { Handshake, HandshakeParts, VerifiedOffer } from './handshake/handshake.ts';
import { Refusals } from './handshake/refusals.ts';
import { WorkerConnections } from './recognition/worker-connections.ts';
import type { StreamEnd, StreamParts } from './session.ts';
import type { OpenedStream } from './opened-stream.ts';
import { Stream } from './stream.ts';
import { Ticker } from './ticker.ts';

/**
 * Maximum number of fragments of a message. The limit saves memory, because fragments are kept until the last one has
 * arrived. No client needs more fragments.
 */
const MAX_FRAGMENTS = 256;

/** Interval at which the clocks of streams are checked. If a timeout is short, the interval is shorter. */
const TICK_MS = 250;

export interface StreamsOptions
  extends Omit<StreamParts, 'ticker' | 'workerConnections'>, Omit<HandshakeParts, 'ledger' | 'attempts'> {
  catalogue: CatalogueView;
  budget: AudioBudget;
  suspensionMs: number;
  /** Maximum audio of each session of a chain. */
  partMs: number;
  /** Interval at which the gateway checks for sessions that their tenants have cancelled. */
  cancellationMs: number;
  /** Number of handshakes without a valid credential that one address may send per second. */
  refusalsPerSecond: number;
  /** Maximum number of handshakes that may wait for Redis at the same time. */
  maxAttempts: number;
  /** Returns the address to which `refusalsPerSecond` applies. */
  addressOf: (request: IncomingMessage) => string;
  refusalDelay: RefusalDelay;
  metrics: GatewayMetrics;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
}

export interface OpenOptions {
  /** True if another session continues the stream when the reservation of the current session is used up. */
  isChained?: boolean;
}

/** All live streams of this gateway. */
export class Streams {
  readonly #live = new Set<Stream>();
  readonly #attempts: Attempts;
  readonly #refusals: Refusals;
  readonly #sockets: WebSocketServer;
  /** Ids of the handshake requests that are in progress. */
  readonly #requestIds = new WeakMap<IncomingMessage, string>();
  readonly #options: StreamsOptions;
  readonly #ticker: Ticker;
  readonly #workerConnections: WorkerConnections;
  readonly #stopSuspensionChecks: () => void;
  readonly #stopCancellationChecks: () => void;
  #draining = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#workerConnections = new WorkerConnections((outcome) => options.metrics.connectionLosses.add(1, { outcome }));
    this.#attempts = new Attempts(options.maxAttempts);
    this.#refusals = new Refusals(options.refusalsPerSecond, options.refusalDelay);
    const { idleMs, pingMs } = options.times;
    this.#ticker = new Ticker(Math.min(TICK_MS, idleMs / 4, pingMs / 4));
    this.#sockets = new WebSocketServer({
      noServer: true,
      WebSocket: ClientSocket,
      maxPayload: STREAM_LIMITS.maxPayloadBytes,
      maxFragments: MAX_FRAGMENTS,
      perMessageDeflate: false,
      handleProtocols: () => STREAM_SUBPROTOCOL,
    });
    this.#sockets.on('headers', (lines, request) => {
      lines.push(`X-Request-Id: ${this.#requestIds.get(request) ?? ''}`);
    });
    this.#stopSuspensionChecks = repeat(
      options.logger,
      () => options.suspensionMs,
      () => endSuspended(options.ledger, this.#live),
    );
    this.#stopCancellationChecks = repeat(
      options.logger,
      () => options.cancellationMs,
      async () => {
        const owner = options.owner();
        if (owner !== undefined && this.#live.size > 0) await endCancelled(options.ledger, owner, this.#live);
      },
    );
  }

  get count(): number {
    return this.#live.size;
  }

  /** Returns the number of live streams by model. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { session } of this.#live) counts.set(session.model, (counts.get(session.model) ?? 0) + 1);
    return counts;
  }

  /**
   * Lets streams finish until the deadline, a time of `performance.now()`. Streams that are still open shortly before
   * the deadline get a `final` and the close code 1001.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.#draining = true;
    const { budget } = this.#options;
    budget.close();
    const wait = async (untilMs: number) => {
      // The budget also includes handshakes that were accepted before the drain and are about to become streams.
      while (budget.inUse && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    const { finalMs } = this.#options.times;
    await wait(deadlineMs - finalMs);
    for (const stream of this.#live) stream.endWithFinal({ outcome: 'failed', code: 1001, reason: 'draining' });
    await wait(deadlineMs);
    this.#stopSuspensionChecks();
    this.#stopCancellationChecks();
    this.#ticker.stop();
    this.#workerConnections.close();
  }

  /** Fails all streams. Call when the lease was lost. Other gateways then fail the sessions of these streams. */
  failAll(): void {
    for (const stream of this.#live) stream.fail('internal_error');
  }

  /** Handles an upgrade request. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const watch = new HandshakeWatch(this.#options, request.headers.traceparent);
    const { requestId } = watch;
    this.#requestIds.set(request, requestId);
    const parts = { ...this.#options, attempts: this.#attempts };
    let handshake: Handshake;
    let offer: VerifiedOffer | undefined;
    let share: SizedShare | undefined;
    let end: (() => void) | undefined;
    try {
      offer = await this.#verify(request);
      end = await this.#refusals.startForSession(offer.sessionId, performance.now());
      share = this.#admit();
      handshake = await accept(parts, offer, requestId);
      share.resize(handshake.reservedMs);
    } catch (error) {
      share?.release();
      const refusal = refuse(socket, error, requestId);
      // A refusal with 5xx is not the fault of the client, so it does not count against the session.
      const sessionId = end === undefined ? undefined : offer?.sessionId;
      if (sessionId !== undefined && refusal.status < 500) {
        this.#refusals.countForSession(sessionId, performance.now());
      }
      // Without a verified offer nothing is traced, so that only clients with a valid session can create traces.
      watch.recordRefusal(refusal, sessionId);
      return;
    } finally {
      end?.();
    }
    const client = this.#answer(request, socket, head);
    if (client !== undefined) {
      handshake.release();
      this.#connect(client, handshake, share, watch.recordAccepted(handshake));
      return;
    }
    share.release();
    watch.recordAbandoned(handshake);
    void rollBack(parts, handshake);
  }

  /**
   * Sends the 101 response. Returns undefined if it was not sent, because the client had already disconnected. In that
   * case, the package ws reports no error.
   */
  #answer(request: IncomingMessage, socket: Duplex, head: Buffer): WebSocket | undefined {
    const clients: WebSocket[] = [];
    this.#sockets.handleUpgrade(request, socket, head, (client) => clients.push(client));
    return clients[0];
  }

  /**
   * Verifies a handshake without Redis. Throws 429 for an invalid handshake if its address has sent too many of them.
   * Valid handshakes are not limited here, so that no client can lock out other clients with the same address.
   */
  async #verify(request: IncomingMessage): Promise<VerifiedOffer> {
    let offer: VerifiedOffer;
    try {
      offer = verifyOffer(this.#options, readOffer(request));
    } catch (error) {
      await this.#refusals.countForAddress(this.#options.addressOf(request), performance.now());
      throw error;
    }
    return offer;
  }

  /** Takes audio memory for one more stream. Throws 503 if there is not enough memory. */
  #admit(): SizedShare {
    const share = this.#options.budget.take();
    if (share !== undefined) return share;
    const reason = this.#draining ? 'This gateway is shutting down.' : 'This gateway is full.';
    throw new ApiError('service_unavailable', { message: `${reason} Retry at once.` });
  }

  /**
   * Opens a stream without a WebSocket, for a session that this gateway has created. Throws 503 if the gateway is full.
   * The session may have reserved more audio than `partMs`. If `isChained` is true, further sessions follow when the
   * reservation is used up.
   */
  async open(
    created: Pick<CreatedSession, 'sessionId' | 'credential'>,
    client: StreamClient,
    { isChained = false }: OpenOptions = {},
  ): Promise<OpenedStream> {
    const watch = new HandshakeWatch(this.#options, undefined);
    const share = this.#admit();
    try {
      const parts = { ...this.#options, attempts: this.#attempts };
      const handshake = await accept(parts, verifyOffer(parts, created), watch.requestId);
      handshake.release();
      const isLong = isChained || handshake.reservedMs > this.#options.partMs;
      const chain = isLong ? new Chain({ ...this.#options, isEndless: isChained }, handshake, share) : undefined;
      share.resize(chain?.firstMs ?? handshake.reservedMs);
      return this.#startStream(client, handshake, share, watch.recordAccepted(handshake), chain);
    } catch (error) {
      share.release();
      throw error;
    }
  }

  #connect(socket: WebSocket, handshake: Handshake, share: SizedShare, watch: StreamWatch): void {
    const client = new Client(socket);
    const { stream } = this.#startStream(client, handshake, share, watch);
    readWholeFrames(socket, (data) => stream.receive(data, true));
    socket.on('message', (data: Buffer, isBinary) => stream.receive(data, isBinary));
    socket.on('ping', () => client.cutOffUnread());
    socket.on('pong', () => stream.onPong());
    socket.on('broken', (code: number) => stream.onProtocolError(code));
    // The error needs no handling, because a `close` event always follows and is handled.
    socket.on('error', () => undefined);
    socket.on('close', (code) => stream.onClosed(code));
  }

  #startStream(
    client: StreamClient,
    handshake: Handshake,
    share: SizedShare,
    watch: StreamWatch,
    chain?: Chain,
  ): OpenedStream {
    const entry = this.#options.catalogue.entries()?.find(({ id }) => id === handshake.model);
    const session = {
      ...handshake,
      reservedMs: chain?.firstMs ?? handshake.reservedMs,
      chain,
      languageCode: entry?.languageCode ?? '',
      maxWaitMs: (entry?.maxWaitSeconds ?? 120) * 1000,
      watch,
    };
    const parts = { ...this.#options, ticker: this.#ticker, workerConnections: this.#workerConnections };
    const stream = new Stream(parts, session, client);
    this.#live.add(stream);
    const settled = stream.ended.then((end) => {
      this.#live.delete(stream);
      share.release();
      return this.#settle(handshake, watch, end, chain);
    });
    return { stream, settled };
  }

  async #settle(handshake: Handshake, watch: StreamWatch, end: StreamEnd, chain: Chain | undefined): Promise<void> {
    watch.recordEnd(end);
    const settled = watch.startSettlement();
    if (chain === undefined) {
      await this.#options.settlements.add(handshake, handshake.owner, end);
      this.#options.claims.release(handshake.sessionId);
    } else await chain.settle(end);
    settled();
  }
}
