import { labelsOf, sourceOf } from './otlp.ts';
import type { TracesBody } from './otlp.ts';

/** A span as the page shows it. */
export interface ShownSpan {
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  readonly service: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly events: readonly { name: string; atMs: number }[];
}

export interface ShownSession {
  readonly id: string;
  readonly spans: ShownSpan[];
}

const KEPT_SESSIONS = 20;
const ERROR = 2;

/** Traces of the latest sessions. */
export class TraceStore {
  readonly #sessions = new Map<string, ShownSession>();

  take({ resourceSpans = [] }: TracesBody): void {
    for (const { resource, scopeSpans = [] } of resourceSpans) {
      const { service } = sourceOf(resource);
      for (const span of scopeSpans.flatMap(({ spans = [] }) => spans)) {
        const session = this.#sessions.get(span.traceId) ?? { id: uuidOf(span.traceId), spans: [] };
        session.spans.push({
          id: span.spanId,
          parent: span.parentSpanId ?? '',
          name: span.name,
          service,
          startMs: Number(span.startTimeUnixNano) / 1e6,
          endMs: Number(span.endTimeUnixNano) / 1e6,
          failed: span.status?.code === ERROR,
          attributes: labelsOf(span.attributes),
          events: (span.events ?? []).map(({ name, timeUnixNano }) => ({ name, atMs: Number(timeUnixNano) / 1e6 })),
        });
        this.#sessions.set(span.traceId, session);
      }
    }
    for (const id of this.#sessions.keys()) {
      if (this.#sessions.size <= KEPT_SESSIONS) return;
      this.#sessions.delete(id);
    }
  }

  /** Returns the sessions, newest first. */
  list(): ShownSession[] {
    return [...this.#sessions.values()].reverse();
  }
}

function uuidOf(traceId: string): string {
  return traceId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
