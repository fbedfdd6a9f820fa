import { labelsOf, sourceOf } from './otlp.ts';
import type { Labels, Span, TracesBody } from './otlp.ts';

/** A span as the page shows it. */
export interface ShownSpan extends Omit<Span, 'attributes'> {
  readonly service: string;
  readonly attributes: Labels;
}

export interface ShownSession {
  readonly id: string;
  readonly spans: ShownSpan[];
}

const KEPT_SESSIONS = 20;

/** Traces of the latest sessions. */
export class TraceStore {
  readonly #sessions = new Map<string, ShownSession>();

  take({ resourceSpans = [] }: TracesBody): void {
    for (const { resource, scopeSpans = [] } of resourceSpans) {
      const { service } = sourceOf(resource);
      for (const span of scopeSpans.flatMap(({ spans = [] }) => spans)) {
        const session = this.#sessions.get(span.traceId) ?? { id: uuidOf(span.traceId), spans: [] };
        this.#sessions.set(span.traceId, session);
        session.spans.push({ ...span, service, attributes: labelsOf(span.attributes) });
      }
    }
    for (const id of [...this.#sessions.keys()].slice(0, -KEPT_SESSIONS)) this.#sessions.delete(id);
  }

  /** Returns the sessions, newest first. */
  list(): ShownSession[] {
    return [...this.#sessions.values()].reverse();
  }
}

function uuidOf(traceId: string): string {
  return traceId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
