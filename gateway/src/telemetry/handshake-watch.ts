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
  private readonly telemetry: HandshakeTelemetry;
  private readonly traceparent: unknown;
  private readonly startedAtMs = performance.now();

  constructor(telemetry: HandshakeTelemetry, traceparent: unknown) {
    this.telemetry = telemetry;
    this.traceparent = traceparent;
  }

  /** `sessionId`: undefined when it is not to be traced. */
  refused({ status, code }: { status: number; code: string }, sessionId: string | undefined): void {
    const { logger, metrics, tracing } = this.telemetry;
    logger.info({ route: 'stream', status, code }, 'handshake refused');
    metrics.handshakes.add(1, { code });
    if (sessionId !== undefined) StreamTrace.refused(tracing, this.asked(sessionId), status, code);
  }

  /** Nobody was left to be told that the stream is open. */
  lost({ sessionId, tenant, model }: ConnectedSession): void {
    const { logger, metrics, tracing } = this.telemetry;
    const fields = { session_id: sessionId, tenant, model, route: 'stream', status: CLIENT_CLOSED_REQUEST, code: LOST };
    logger.info(fields, 'handshake given up');
    metrics.handshakes.add(1, { code: LOST });
    StreamTrace.refused(tracing, this.asked(sessionId), CLIENT_CLOSED_REQUEST, LOST);
  }

  /** The stream is open; answers who watches it. */
  accepted({ sessionId, model }: ConnectedSession): StreamWatch {
    const { metrics, tracing } = this.telemetry;
    metrics.handshakes.add(1, { code: 'ok' });
    const trace = StreamTrace.accepted(tracing, this.asked(sessionId), model);
    return new StreamWatch({ metrics, trace, model, askedAtMs: this.startedAtMs });
  }

  private asked(sessionId: string): StreamRequest {
    return { sessionId, startedAtMs: this.startedAtMs, traceparent: this.traceparent };
  }
}
