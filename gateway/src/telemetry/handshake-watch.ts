import { randomUUID } from 'node:crypto';
import type { Logger, Tracing } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { StreamTrace } from './stream-trace.ts';
import type { StreamRequest } from './stream-trace.ts';
import { StreamWatch } from './stream-watch.ts';

/** Status that proxies log when a client disconnects before the response was sent. */
const CLIENT_CLOSED_REQUEST = 499;
const CLIENT_CLOSED = 'client_closed';

interface HandshakeTelemetry {
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
}

interface ConnectedSession {
  readonly sessionId: string;
  readonly tenant: string;
  readonly model: string;
}

/** Records logs, metrics and the trace of one handshake. */
export class HandshakeWatch {
  /** Id that is sent as X-Request-Id with each response. An X-Request-Id of the client is not trusted. */
  readonly requestId = randomUUID();
  readonly #telemetry: HandshakeTelemetry;
  readonly #traceparent: unknown;
  readonly #startedAtMs = performance.now();

  constructor(telemetry: HandshakeTelemetry, traceparent: unknown) {
    this.#telemetry = telemetry;
    this.#traceparent = traceparent;
  }

  /** Records a refused handshake. `sessionId` is undefined if the refusal must not be traced. */
  recordRefusal({ status, code }: { status: number; code: string }, sessionId: string | undefined): void {
    const { metrics, tracing } = this.#telemetry;
    this.#log({ status, code }, 'handshake refused');
    metrics.handshakes.add(1, { code });
    if (sessionId !== undefined) StreamTrace.recordRefusal(tracing, this.#requestFor(sessionId), status, code);
  }

  /** Records a handshake whose client disconnected before the 101 response. */
  recordAbandoned({ sessionId, tenant, model }: ConnectedSession): void {
    const { metrics, tracing } = this.#telemetry;
    this.#log(
      { session_id: sessionId, tenant, model, status: CLIENT_CLOSED_REQUEST, code: CLIENT_CLOSED },
      'handshake abandoned',
    );
    metrics.handshakes.add(1, { code: CLIENT_CLOSED });
    StreamTrace.recordRefusal(tracing, this.#requestFor(sessionId), CLIENT_CLOSED_REQUEST, CLIENT_CLOSED);
  }

  /** Records an accepted handshake. Returns the recorder of its stream. */
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
