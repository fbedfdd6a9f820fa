import { streamPath } from '@svc-asr/core';
import { formatTraceparent, parseTraceparent, SpanKind, SpanStatusCode } from '@svc-asr/runtime';
import type { Span, SpanContext, Tracing } from '@svc-asr/runtime';

const ROUTE = streamPath(':id');

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
  #search: Span | undefined;
  #relay: Span | undefined;

  private constructor(tracing: Tracing, parent: SpanContext, model: string) {
    this.#tracing = tracing;
    this.#stream = tracing.start('stream', { parent, attributes: { 'svc_asr.model': model } });
  }

  /** The trace of a stream whose handshake was accepted; undefined when the session is not traced. */
  static start(tracing: Tracing | undefined, request: StreamRequest, model: string): StreamTrace | undefined {
    const handshake = recordHandshake(tracing, request, 101, undefined);
    return tracing === undefined || handshake === undefined ? undefined : new StreamTrace(tracing, handshake, model);
  }

  /** Tells of a handshake that was refused. */
  static recordRefusal(tracing: Tracing | undefined, request: StreamRequest, status: number, code: string): void {
    recordHandshake(tracing, request, status, code);
  }

  startSearch(): void {
    this.#search?.end();
    this.#search = this.#tracing.start('place', { parent: this.#stream.spanContext() });
  }

  /** A worker was found, or not; answers what to tell it. */
  endSearch(worker: { id: string; revision: string } | undefined): string | undefined {
    const placing = this.#search;
    this.#search = undefined;
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
  leaveWorker(failure: string | undefined): void {
    if (failure !== undefined) this.#relay?.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    this.#relay?.end();
    this.#relay = undefined;
  }

  addEvent(name: 'ready' | 'final' | 'worker moved', attributes: Record<string, string | number> = {}): void {
    this.#stream.addEvent(name, attributes);
  }

  end(outcome: string, reason: string, audioMs: number): void {
    this.#search?.end();
    this.#stream.setAttributes({
      'svc_asr.outcome': outcome,
      'svc_asr.reason': reason,
      'svc_asr.audio.seconds': audioMs / 1000,
    });
    if (outcome === 'failed') this.#stream.setStatus({ code: SpanStatusCode.ERROR, message: reason });
    this.#stream.end();
  }

  /** Begins to bring the end into the ledger; answers what to call when that is done. */
  startSettlement(): () => void {
    const span = this.#tracing.start('settle', {
      parent: this.#stream.spanContext(),
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'redis' },
    });
    return () => span.end();
  }
}

function recordHandshake(
  tracing: Tracing | undefined,
  { sessionId, startedAtMs, traceparent }: StreamRequest,
  status: number,
  code: string | undefined,
): SpanContext | undefined {
  const parent = tracing?.rootOf(sessionId);
  if (tracing === undefined || parent === undefined) return undefined;
  const caller = parseTraceparent(traceparent);
  const span = tracing.start(`GET ${ROUTE}`, {
    parent,
    kind: SpanKind.SERVER,
    startedAtMs,
    links: caller === undefined ? [] : [{ context: caller }],
    attributes: {
      'http.request.method': 'GET',
      'http.route': ROUTE,
      'http.response.status_code': status,
      'svc_asr.session.id': sessionId,
      ...(code === undefined ? {} : { 'error.type': code }),
    },
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  return span.spanContext();
}
