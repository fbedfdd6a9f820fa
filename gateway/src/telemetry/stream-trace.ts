import { streamPath } from '@svc-asr/core';
import { formatTraceparent, parseTraceparent, SpanKind, SpanStatusCode } from '@svc-asr/runtime';
import type { Span, SpanContext, Tracing } from '@svc-asr/runtime';

const ROUTE = streamPath(':id');

/** Data of a handshake that its trace needs. */
export interface StreamRequest {
  readonly sessionId: string;
  readonly startedAtMs: number;
  readonly traceparent: unknown;
}

/** Spans of one stream, within the trace of its session. There are few spans, and none per audio frame. */
export class StreamTrace {
  readonly #tracing: Tracing;
  readonly #stream: Span;
  #search: Span | undefined;
  #relay: Span | undefined;
  /** Span of the worker to which the stream is about to move. */
  #prepared: Span | undefined;

  private constructor(tracing: Tracing, parent: SpanContext, model: string) {
    this.#tracing = tracing;
    this.#stream = tracing.start('stream', { parent, attributes: { 'svc_asr.model': model } });
  }

  /** Starts the trace of a stream whose handshake was accepted. Undefined if the session is not traced. */
  static start(tracing: Tracing | undefined, request: StreamRequest, model: string): StreamTrace | undefined {
    const handshake = recordHandshake(tracing, request, 101, undefined);
    return tracing === undefined || handshake === undefined ? undefined : new StreamTrace(tracing, handshake, model);
  }

  /** Records a refused handshake. */
  static recordRefusal(tracing: Tracing | undefined, request: StreamRequest, status: number, code: string): void {
    recordHandshake(tracing, request, status, code);
  }

  startSearch(): void {
    this.#search?.end();
    this.#search = this.#tracing.start('place', { parent: this.#stream.spanContext() });
  }

  /**
   * Ends the span of the search for a worker. Returns the `traceparent` for the worker, or undefined if no worker was
   * found.
   */
  endSearch(worker: { id: string; revision: string } | undefined): string | undefined {
    const placing = this.#search;
    this.#search = undefined;
    if (worker === undefined) {
      placing?.setStatus({ code: SpanStatusCode.ERROR }).end();
      return undefined;
    }
    placing?.setAttributes(attributesOf(worker)).end();
    this.#relay = this.#startRelay(worker);
    return formatTraceparent(this.#relay.spanContext());
  }

  /**
   * Records the search for another worker, and starts a span for that worker. The span of the current worker continues.
   * Returns the `traceparent` for that worker.
   */
  prepareMove(worker: { id: string; revision: string }, searchStartedAtMs: number): string {
    const parent = this.#stream.spanContext();
    const attributes = attributesOf(worker);
    this.#tracing.start('place', { parent, startedAtMs: searchStartedAtMs, attributes }).end();
    this.#prepared = this.#startRelay(worker);
    return formatTraceparent(this.#prepared.spanContext());
  }

  /** Ends the span of the prepared worker if the stream does not move to it. `failure` is set if that worker failed. */
  abandonMove(failure: string | undefined): void {
    endRelay(this.#prepared, failure);
    this.#prepared = undefined;
  }

  /** Makes the span of the prepared worker the current one. */
  completeMove(): void {
    this.#relay = this.#prepared;
    this.#prepared = undefined;
  }

  /** Ends the span of the current worker, which the stream leaves. `failure` is set if that worker failed. */
  leaveWorker(failure: string | undefined): void {
    endRelay(this.#relay, failure);
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

  #startRelay(worker: { id: string; revision: string }): Span {
    const parent = this.#stream.spanContext();
    return this.#tracing.start('relay', { parent, kind: SpanKind.CLIENT, attributes: attributesOf(worker) });
  }

  /** Starts the span of the settlement. Returns a function that ends it. */
  startSettlement(): () => void {
    const span = this.#tracing.start('settle', {
      parent: this.#stream.spanContext(),
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'redis' },
    });
    return () => span.end();
  }
}

function attributesOf({ id, revision }: { id: string; revision: string }): Record<string, string> {
  return { 'svc_asr.worker.id': id, 'svc_asr.revision': revision };
}

function endRelay(span: Span | undefined, failure: string | undefined): void {
  if (failure !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span?.end();
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
