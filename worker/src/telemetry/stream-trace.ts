import { AUDIO } from '@svc-asr/core';
import { parseTraceparent, SpanKind, SpanStatusCode } from '@svc-asr/runtime';
import type { Attributes, Span, Tracing } from '@svc-asr/runtime';
import type { Final } from '../engine/protocol.ts';

const SAMPLED = 1;

/** The worker's part of the trace of a stream: one span for the stream, one for each utterance. */
export class StreamTrace {
  readonly #tracing: Tracing;
  readonly #span: Span;
  /** When audio of the utterances that are not answered yet began to come, oldest first. */
  readonly #ended: number[] = [];
  #heardAtMs: number | undefined;

  private constructor(tracing: Tracing, span: Span) {
    this.#tracing = tracing;
    this.#span = span;
  }

  /** The trace of a stream whose gateway traces it; undefined otherwise. */
  static of(
    tracing: Tracing | undefined,
    traceparent: string | undefined,
    attributes: Attributes,
  ): StreamTrace | undefined {
    const parent = tracing === undefined ? undefined : parseTraceparent(traceparent);
    if (tracing === undefined || parent === undefined || (parent.traceFlags & SAMPLED) === 0) return undefined;
    return new StreamTrace(tracing, tracing.start('recognize', { parent, kind: SpanKind.SERVER, attributes }));
  }

  /** A slot was found. */
  opened(): void {
    this.#span.addEvent('opened');
  }

  /** Audio of the present utterance came. */
  heard(): void {
    this.#heardAtMs ??= performance.now();
  }

  /** The present utterance was flushed or reset. */
  marked(): void {
    this.#ended.push(this.#heardAtMs ?? performance.now());
    this.#heardAtMs = undefined;
  }

  /** The oldest utterance was dropped. */
  dropped(): void {
    this.#ended.shift();
  }

  /** The oldest utterance has its final. */
  answered({ utterance, startSample, endSample, cost }: Final): void {
    const span = this.#tracing.start('utterance', {
      parent: this.#span.spanContext(),
      startedAtMs: this.#ended.shift() ?? performance.now(),
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

  /** The connection is over; `code` is `done` or that of an error. */
  end(code: string): void {
    this.#span.setAttribute('svc_asr.outcome', code);
    if (code !== 'done') this.#span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    this.#span.end();
  }
}
