import { AUDIO } from '@svc-asr/core';
import { parseTraceparent, SpanKind, SpanStatusCode } from '@svc-asr/runtime';
import type { Attributes, Span, Tracing } from '@svc-asr/runtime';
import type { Final } from '../engine/protocol.ts';

const SAMPLED = 1;

/** The spans of the worker in the trace of a stream. There is one span for the stream and one for each utterance. */
export class StreamTrace {
  readonly #tracing: Tracing;
  readonly #span: Span;
  /**
   * Contains a time for each utterance that was flushed or reset and has no answer yet, the oldest first. It is the
   * time at which the first audio of the utterance arrived.
   */
  readonly #ended: number[] = [];
  #audioStartedAtMs: number | undefined;

  private constructor(tracing: Tracing, span: Span) {
    this.#tracing = tracing;
    this.#span = span;
  }

  /**
   * Creates the trace of a stream. Returns undefined if tracing is disabled or if the gateway does not sample this
   * stream.
   */
  static of(
    tracing: Tracing | undefined,
    traceparent: string | undefined,
    attributes: Attributes,
  ): StreamTrace | undefined {
    const parent = tracing === undefined ? undefined : parseTraceparent(traceparent);
    if (tracing === undefined || parent === undefined || (parent.traceFlags & SAMPLED) === 0) return undefined;
    return new StreamTrace(tracing, tracing.start('recognize', { parent, kind: SpanKind.SERVER, attributes }));
  }

  /** Call when the stream has received a slot. */
  opened(): void {
    this.#span.addEvent('opened');
  }

  /** Call when audio of the current utterance has arrived. */
  audioReceived(): void {
    this.#audioStartedAtMs ??= performance.now();
  }

  /** Call when the current utterance was flushed or reset. */
  marked(): void {
    this.#ended.push(this.#audioStartedAtMs ?? performance.now());
    this.#audioStartedAtMs = undefined;
  }

  /** Call when a reset has dropped the oldest unanswered utterance. */
  dropped(): void {
    this.#ended.shift();
  }

  /**
   * Call when the final of the oldest utterance without an answer was sent. If a pause has ended the utterance,
   * `#ended` has no entry for it, because it was neither flushed nor reset.
   */
  answered({ utterance, startSample, endSample, isEndpoint, cost }: Final): void {
    const startedAtMs = isEndpoint ? (this.#ended[0] ?? this.#audioStartedAtMs) : this.#ended.shift();
    const span = this.#tracing.start('utterance', {
      parent: this.#span.spanContext(),
      startedAtMs: startedAtMs ?? performance.now(),
      attributes: {
        'svc_asr.utterance': utterance + 1,
        'svc_asr.audio.seconds': (endSample - startSample) / AUDIO.sampleRateHz,
        'svc_asr.windows': cost.windows,
        'svc_asr.batch.mean_size': cost.windows === 0 ? 0 : cost.batched / cost.windows,
        'svc_asr.batch.wait_seconds': cost.waitMs / 1000,
        'svc_asr.run.seconds': cost.runMs / 1000,
      },
    });
    span.end();
  }

  /**
   * Call when the stream has ended. `code` is the reason. Every reason except `done` and `reopened` marks the span as
   * failed.
   */
  end(code: string): void {
    this.#span.setAttribute('svc_asr.outcome', code);
    // A stream that is reopened with another context has not failed.
    if (code !== 'done' && code !== 'reopened') this.#span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    this.#span.end();
  }
}
