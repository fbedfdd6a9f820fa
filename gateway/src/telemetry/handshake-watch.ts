import { randomUUID } from 'node:crypto';
import type { Logger, Tracing } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { StreamTrace } from './stream-trace.ts';
import type { StreamRequest } from './stream-trace.ts';
import { StreamWatch } from './stream-watch.ts';

/** As proxies log it: the client was gone before there was an answer. */
const CLIENT_CLOSED_REQUEST = 499;
const CLIENT_CLOSED = 'client_closed';

interface HandshakeTelemetry {
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  /** undefined: no traces are wanted. */
  readonly tracing: Tracing | undefined;
}

interface ConnectedSession {
  readonly sessionId: string;
  readonly tenant: string;
  readonly model: string;
}

/** What logs, metrics and traces want to know of one request for a stream. */
export class HandshakeWatch {
  /** Sent as X-Request-Id with any answer; one that comes in is not trusted. */
  readonly requestId = randomUUID();
  readonly #telemetry: HandshakeTelemetry;
  readonly #traceparent: unknown;
  readonly #startedAtMs = performance.now();

  constructor(telemetry: HandshakeTelemetry, traceparent: unknown) {
    this.#telemetry = telemetry;
    this.#traceparent = traceparent;
  }

  /** `sessionId`: undefined when it is not to be traced. */
  recordRefusal({ status, code }: { status: number; code: string }, sessionId: string | undefined): void {
    const { metrics, tracing } = this.#telemetry;
    this.#log({ status, code }, 'handshake refused');
    metrics.handshakes.add(1, { code });
    if (sessionId !== undefined) StreamTrace.recordRefusal(tracing, this.#requestFor(sessionId), status, code);
  }

  /** Nobody was left to be told that the stream is open. */
  recordAbandoned({ sessionId, tenant, model }: ConnectedSession): void {
    const { metrics, tracing } = this.#telemetry;
    this.#log(
      { session_id: sessionId, tenant, model, status: CLIENT_CLOSED_REQUEST, code: CLIENT_CLOSED },
      'handshake given up',
    );
    metrics.handshakes.add(1, { code: CLIENT_CLOSED });
    StreamTrace.recordRefusal(tracing, this.#requestFor(sessionId), CLIENT_CLOSED_REQUEST, CLIENT_CLOSED);
  }

  /** The stream is open; answers who watches it. */
  recordAccepted({ sessionId, tenant, model }: ConnectedSession): StreamWatch {
    const { metrics, tracing } = this.#telemetry;
    this.#log({ session_id: sessionId, tenant, model, status: 101 }, 'stream opened');
    metrics.handshakes.add(1, { code: 'ok' });
    const trace = StreamTrace.start(tracing, this.#requestFor(sessionId), model);
    return new StreamWatch({ metrics, trace, model, requestedAtMs: this.#startedAtMs });
  }

  #log(fields: Record<string, string | number>, message: string): void {
    const duration = Math.round((performance.now() - this.#startedAtMs) * 10) / 10;
    const all = { request_id: this.requestId, route: 'stream', ...fields, duration_ms: duration };
    this.#telemetry.logger.info(all, message);
  }

  #requestFor(sessionId: string): StreamRequest {
    return { sessionId, startedAtMs: this.#startedAtMs, traceparent: this.#traceparent };
  }
}
