import type { Attributes, Link, Span, SpanContext, SpanKind } from '@opentelemetry/api';

export { SpanKind, SpanStatusCode } from '@opentelemetry/api';
export type { Attributes, Span, SpanContext } from '@opentelemetry/api';

export interface SpanStart {
  /** Context of the parent span, which may belong to another process. */
  readonly parent?: SpanContext;
  /** Fixed ids for the root span of a session's trace. Other processes derive the same ids from the session id. */
  readonly self?: SpanContext;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: Link[];
  /** Start time by `performance.now()`. If omitted, the span starts now. */
  readonly startedAtMs?: number;
}

/** Traces of a service. If tracing is off, this object does not exist, and tracing costs nothing. */
export interface Tracing {
  /** Returns the root span of a session's trace. Undefined if the session is not sampled. */
  rootOf: (sessionId: string) => SpanContext | undefined;
  start: (name: string, options: SpanStart) => Span;
}

/**
 * Returns the ids of the root span of a session's trace. They are derived from the session id, so that every process
 * uses the same trace and makes the same sampling decision.
 */
export function sessionRootIds(sessionId: string): { traceId: string; spanId: string } {
  const traceId = sessionId.replaceAll('-', '').toLowerCase();
  // The second half of a UUID starts with its variant bits, so the span id is never zero, which would be invalid.
  return { traceId, spanId: traceId.slice(16) };
}
