import { parseTraceparent, SpanKind, SpanStatusCode } from '@svc-asr/runtime';
import type { SpanContext, Tracing } from '@svc-asr/runtime';
import type { Ledger } from '@svc-asr/ledger';

interface Step {
  readonly name: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly outcome: string;
}

/**
 * Trace of one request for a session: POST /v1/asr/sessions, or a request of the console on the internal port. The
 * trace belongs to the session. The session is known only after the ledger has answered, because a repeated
 * Idempotency-Key returns an earlier session. Steps are therefore collected first and recorded at the end.
 */
export class CreateTrace {
  readonly #tracing: Tracing;
  readonly #startedAtMs: number;
  readonly #caller: SpanContext | undefined;
  readonly #steps: Step[] = [];
  #sessionId: string | undefined;
  #model = '';
  /** True if an earlier request with the same Idempotency-Key created the session. */
  #repeated = false;

  constructor(tracing: Tracing, startedAtMs: number, traceparent: unknown) {
    this.#tracing = tracing;
    this.#startedAtMs = startedAtMs;
    this.#caller = parseTraceparent(traceparent);
  }

  /** Wraps a ledger so that the steps of creating a session are recorded. */
  instrument(ledger: Ledger): Ledger {
    const { sessions, pools } = ledger;
    return {
      ...ledger,
      sessions: {
        ...sessions,
        reserve: async (request) => {
          this.#sessionId = request.sessionId;
          this.#model = request.model;
          const answer = await this.#step(
            'reserve',
            () => sessions.reserve(request),
            ({ outcome }) => outcome,
          );
          if (answer.outcome === 'ok') {
            this.#repeated = answer.reservation.sessionId !== request.sessionId;
            this.#sessionId = answer.reservation.sessionId;
          }
          return answer;
        },
        confirm: (...of) =>
          this.#step(
            'confirm',
            () => sessions.confirm(...of),
            (done) => (done ? 'ok' : 'expired'),
          ),
      },
      pools: {
        ...pools,
        claim: (...of) =>
          this.#step(
            'claim',
            () => pools.claim(...of),
            (held) => (held ? 'ok' : 'no_capacity'),
          ),
      },
    };
  }

  /** Records the spans of the request. Call when the response was sent. */
  end(answer: { method: string; route: string; status: number; code: string | undefined }): void {
    const root = this.#sessionId === undefined ? undefined : this.#tracing.rootOf(this.#sessionId);
    if (root === undefined) return;
    const span = this.#tracing.start(`${answer.method} ${answer.route}`, {
      // The root span of a session's trace belongs to the request that created the session.
      ...(this.#repeated ? { parent: root } : { self: root }),
      kind: SpanKind.SERVER,
      startedAtMs: this.#startedAtMs,
      links: this.#caller === undefined ? [] : [{ context: this.#caller }],
      attributes: {
        'http.request.method': answer.method,
        'http.route': answer.route,
        'http.response.status_code': answer.status,
        'svc_asr.session.id': this.#sessionId ?? '',
        'svc_asr.model': this.#model,
        ...(answer.code === undefined ? {} : { 'error.type': answer.code }),
      },
    });
    for (const step of this.#steps) this.#recordStep(span.spanContext(), step);
    if (answer.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  async #step<T>(name: string, work: () => Promise<T>, outcomeOf: (answer: T) => string): Promise<T> {
    const startedAtMs = performance.now();
    let outcome = 'unavailable';
    try {
      const answer = await work();
      outcome = outcomeOf(answer);
      return answer;
    } finally {
      this.#steps.push({ name, startedAtMs, endedAtMs: performance.now(), outcome });
    }
  }

  #recordStep(parent: SpanContext, { name, startedAtMs, endedAtMs, outcome }: Step): void {
    const attributes = { 'db.system.name': 'redis', 'svc_asr.outcome': outcome };
    const span = this.#tracing.start(name, { parent, kind: SpanKind.CLIENT, startedAtMs, attributes });
    if (outcome === 'unavailable') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAtMs);
  }
}
