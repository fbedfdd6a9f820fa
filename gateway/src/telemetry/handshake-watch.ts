import { randomUUID } from 'node:crypto';
import type { Logger, Tracing } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { StreamTrace } from './stream-trace.ts';
import type { StreamRequest } from './stream-trace.ts';
import { StreamWatch } from './stream-watch.ts';

/** As proxies log it: the client was gone before there was an answer. */
const CLIENT_CLOSED_REQUEST = 499;
const LOST = 'client_closed';

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
  refused({ status, code }: { status: number; code: string }, sessionId: string | undefined): void {
    const { metrics, tracing } = this.#telemetry;
    this.#log({ status, code }, 'handshake refused');
    metrics.handshakes.add(1, { code });
    if (sessionId !== undefined) StreamTrace.refused(tracing, this.#asked(sessionId), status, code);
  }

  /** Nobody was left to be told that the stream is open. */
  lost({ sessionId, tenant, model }: ConnectedSession): void {
    const { metrics, tracing } = this.#telemetry;
    this.#log(
      { session_id: sessionId, tenant, model, status: CLIENT_CLOSED_REQUEST, code: LOST },
      'handshake given up',
    );
    metrics.handshakes.add(1, { code: LOST });
    StreamTrace.refused(tracing, this.#asked(sessionId), CLIENT_CLOSED_REQUEST, LOST);
  }

  /** The stream is open; answers who watches it. */
  accepted({ sessionId, tenant, model }: ConnectedSession): StreamWatch {
    const { metrics, tracing } = this.#telemetry;
    this.#log({ session_id: sessionId, tenant, model, status: 101 }, 'stream opened');
    metrics.handshakes.add(1, { code: 'ok' });
    const trace = StreamTrace.accepted(tracing, this.#asked(sessionId), model);
    return new StreamWatch({ metrics, trace, model, askedAtMs: this.#startedAtMs });
  }

  #log(fields: Record<string, string | number>, message: string): void {
    const duration = Math.round((performance.now() - this.#startedAtMs) * 10) / 10;
    const all = { request_id: this.requestId, route: 'stream', ...fields, duration_ms: duration };
    this.#telemetry.logger.info(all, message);
  }

  #asked(sessionId: string): StreamRequest {
    return { sessionId, startedAtMs: this.#startedAtMs, traceparent: this.#traceparent };
  }
}
