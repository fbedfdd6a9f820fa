import { formatTraceparent, parseTraceparent, SpanKind, SpanStatusCode } from '@svc-asr/runtime';
import type { Span, SpanContext, Tracing } from '@svc-asr/runtime';

const HANDSHAKE = 'GET /v1/asr/sessions/:id/stream';

/** A request for a stream, as its trace needs it. */
export interface StreamRequest {
  readonly sessionId: string;
  readonly startedAtMs: number;
  readonly traceparent: unknown;
}

/** The trace of one stream, as a part of its session's: few spans, and none for a piece of audio. */
export class StreamTrace {
  readonly #tracing: Tracing;
  readonly #stream: Span;
  #placing: Span | undefined;
  #relay: Span | undefined;

  private constructor(tracing: Tracing, parent: SpanContext, model: string) {
    this.#tracing = tracing;
    this.#stream = tracing.start('stream', { parent, attributes: { 'svc_asr.model': model } });
  }

  /** The trace of a stream whose handshake was accepted; undefined when the session is not traced. */
  static accepted(tracing: Tracing | undefined, request: StreamRequest, model: string): StreamTrace | undefined {
    const handshake = tellHandshake(tracing, request, 101, undefined);
    return tracing === undefined || handshake === undefined ? undefined : new StreamTrace(tracing, handshake, model);
  }

  /** Tells of a handshake that was refused. */
  static refused(tracing: Tracing | undefined, request: StreamRequest, status: number, code: string): void {
    tellHandshake(tracing, request, status, code);
  }

  seeking(): void {
    this.#placing?.end();
    this.#placing = this.#tracing.start('place', { parent: this.#stream.spanContext() });
  }

  /** A worker was found, or not; answers what to tell it. */
  placed(worker: { id: string; revision: string } | undefined): string | undefined {
    const placing = this.#placing;
    this.#placing = undefined;
    if (worker === undefined) {
      placing?.setStatus({ code: SpanStatusCode.ERROR }).end();
      return undefined;
    }
    const attributes = { 'svc_asr.worker.id': worker.id, 'svc_asr.revision': worker.revision };
    placing?.setAttributes(attributes).end();
    this.#relay = this.#tracing.start('relay', {
      parent: this.#stream.spanContext(),
      kind: SpanKind.CLIENT,
      attributes,
    });
    return formatTraceparent(this.#relay.spanContext());
  }

  /** The worker has the stream no more; `failure`: by its own fault. */
  left(failure: string | undefined): void {
    if (failure !== undefined) this.#relay?.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    this.#relay?.end();
    this.#relay = undefined;
  }

  event(name: 'ready' | 'final' | 'worker moved', attributes: Record<string, string | number> = {}): void {
    this.#stream.addEvent(name, attributes);
  }

  ended(outcome: string, reason: string, audioMs: number): void {
    this.#placing?.end();
    this.#stream.setAttributes({
      'svc_asr.outcome': outcome,
      'svc_asr.reason': reason,
      'svc_asr.audio.seconds': audioMs / 1000,
    });
    if (outcome === 'failed') this.#stream.setStatus({ code: SpanStatusCode.ERROR, message: reason });
    this.#stream.end();
  }

  /** Begins to bring the end into the ledger; answers what to call when that is done. */
  settling(): () => void {
    const span = this.#tracing.start('settle', {
      parent: this.#stream.spanContext(),
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'redis' },
    });
    return () => span.end();
  }
}

function tellHandshake(
  tracing: Tracing | undefined,
  { sessionId, startedAtMs, traceparent }: StreamRequest,
  status: number,
  code: string | undefined,
): SpanContext | undefined {
  const parent = tracing?.rootOf(sessionId);
  if (tracing === undefined || parent === undefined) return undefined;
  const caller = parseTraceparent(traceparent);
  const span = tracing.start(HANDSHAKE, {
    parent,
    kind: SpanKind.SERVER,
    startedAtMs,
    links: caller === undefined ? [] : [{ context: caller }],
    attributes: {
      'http.request.method': 'GET',
      'http.route': HANDSHAKE.slice(4),
      'http.response.status_code': status,
      'svc_asr.session.id': sessionId,
      ...(code === undefined ? {} : { 'error.type': code }),
    },
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  return span.spanContext();
}
