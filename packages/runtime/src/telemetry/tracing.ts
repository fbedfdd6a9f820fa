import type { Attributes, Link, Span, SpanContext, SpanKind } from '@opentelemetry/api';

export { SpanKind, SpanStatusCode } from '@opentelemetry/api';
export type { Attributes, Span, SpanContext } from '@opentelemetry/api';

export interface SpanStart {
  /** Parent span, possibly of another process. */
  readonly parent?: SpanContext;
  /** Fixed ids, for the root of a session's trace. Other processes derive them from the session id. */
  readonly self?: SpanContext;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: Link[];
  /** Start time by `performance.now()`. Defaults to now. */
  readonly startedAtMs?: number;
}

/** Traces of a service. The object does not exist if tracing is off, so that it costs nothing. */
export interface Tracing {
  /** Returns the root of a session's trace. Undefined if the session is not sampled. */
  rootOf: (sessionId: string) => SpanContext | undefined;
  start: (name: string, options: SpanStart) => Span;
}

/**
 * Returns the ids of the root span of a session. They are derived from the session id, so that every process finds the
 * same trace and makes the same sampling decision.
 */
export function sessionRootIds(sessionId: string): { traceId: string; spanId: string } {
  const traceId = sessionId.replaceAll('-', '').toLowerCase();
  // The second half of a UUID starts with its variant and is therefore never zero.
  return { traceId, spanId: traceId.slice(16) };
}
