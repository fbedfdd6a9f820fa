import { ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import type { Span, SpanContext } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { MetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, ParentBasedSampler, RandomIdGenerator } from '@opentelemetry/sdk-trace';
import { SamplingDecision, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import { sessionRootIds } from './tracing.ts';
import type { SpanStart, Tracing } from './tracing.ts';

// This module is large. It is loaded only if telemetry is exported.

export interface PushOptions {
  /** Base URL of an OTLP/HTTP receiver, without the path of traces or metrics. */
  endpoint: string;
  headers: Record<string, string>;
  sampleRatio: number;
  spanDelayMs: number;
  metricIntervalMs: number;
}

/** Maximum length of an attribute in characters. Attributes of this project are much shorter. */
const LONGEST_ATTRIBUTE = 256;

/** Generates random ids, except for a span that has fixed ids. */
class Ids implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  /** Fixed ids of the span that is being started. Undefined if its ids are random. */
  given: SpanContext | undefined;

  generateTraceId(): string {
    return this.given?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.given?.spanId ?? this.#random.generateSpanId();
  }
}

/** Creates a reader that exports metrics at an interval. */
export function createMetricReader(options: PushOptions): MetricReader {
  const { endpoint, headers, metricIntervalMs } = options;
  return new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics`, headers }),
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: metricIntervalMs,
  });
}

/** Creates tracing that exports spans in batches. Spans that the receiver does not accept in time are dropped. */
export function createTracing(resource: Resource, options: PushOptions): Tracing & { stop: () => Promise<void> } {
  const { endpoint, headers, sampleRatio, spanDelayMs } = options;
  const ids = new Ids();
  const ratio = new TraceIdRatioBasedSampler(sampleRatio);
  const provider = new TracerProvider({
    resource,
    idGenerator: ids,
    sampler: new ParentBasedSampler({ root: ratio }),
    spanLimits: { attributeValueLengthLimit: LONGEST_ATTRIBUTE },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers }),
        scheduledDelayMillis: spanDelayMs,
      }),
    ],
  });
  const tracer = provider.getTracer('svc-asr');

  function start(name: string, { parent, self, kind, attributes, links, startedAtMs }: SpanStart): Span {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    ids.given = self;
    try {
      return tracer.startSpan(
        name,
        {
          ...(kind === undefined ? {} : { kind }),
          ...(attributes === undefined ? {} : { attributes }),
          ...(links === undefined ? {} : { links }),
          ...(startedAtMs === undefined ? {} : { startTime: startedAtMs }),
        },
        context,
      );
    } finally {
      ids.given = undefined;
    }
  }

  return {
    rootOf: (sessionId) => {
      const { traceId, spanId } = sessionRootIds(sessionId);
      const { decision } = ratio.shouldSample(ROOT_CONTEXT, traceId);
      if (decision !== SamplingDecision.RECORD_AND_SAMPLED) return undefined;
      return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
    },
    start,
    stop: () => provider.shutdown(),
  };
}
