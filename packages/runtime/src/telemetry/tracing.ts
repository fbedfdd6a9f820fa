import type { Attributes, Link, Span, SpanContext, SpanKind } from '@opentelemetry/api';

export { SpanKind, SpanStatusCode } from '@opentelemetry/api';
export type { Attributes, Span, SpanContext } from '@opentelemetry/api';

export interface SpanStart {
  /** The span that it is part of, be it of another process. */
  readonly parent?: SpanContext;
  /** The ids that it has itself: for the root of a session's trace, which other processes know by the session's id. */
  readonly self?: SpanContext;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: Link[];
  /** As `performance.now()` told it; now unless given. */
  readonly startedAtMs?: number;
}

/** Traces of a service. Where none are wanted there is no such object, so that nothing is paid for them. */
export interface Tracing {
  /** The root of a session's trace; undefined when the session is not among those that are traced. */
  rootOf: (sessionId: string) => SpanContext | undefined;
  start: (name: string, options: SpanStart) => Span;
}

/**
 * The ids of the first span of a session's trace. They are made of the session's own id, so that every process of the
 * installation finds the same trace, and decides the same about recording it, without being told.
 */
export function sessionRootIds(sessionId: string): { traceId: string; spanId: string } {
  const traceId = sessionId.replaceAll('-', '').toLowerCase();
  // The second half of a UUID begins with its variant, and so is never zero.
  return { traceId, spanId: traceId.slice(16) };
}
