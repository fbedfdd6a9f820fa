import { prometheusName } from '@svc-asr/runtime';
import type { MetricDefinitions } from '@svc-asr/runtime';
import { buildPage, buildTable, code } from './markdown.ts';

/** Builds the page of all metrics, with one table per service. */
export function buildMetricsPage(services: Readonly<Record<string, MetricDefinitions>>): string {
  const introduction = [
    'Every service exposes these metrics at `/metrics` of its admin port. If',
    '`OTEL_EXPORTER_OTLP_ENDPOINT` is set, it also exports them to an OpenTelemetry collector. The',
    'collector receives `http.server.request.duration` and its labels with dots, and counters without',
    '`_total`. Labels never contain a tenant, a session, a key or a transcript.',
    '[telemetry.md](telemetry.md) explains how to use them.',
  ].join('\n');
  const sections = Object.entries(services).flatMap(([service, metrics]) => [
    `## ${service}`,
    buildTable(
      ['name', 'kind', 'labels', 'meaning'],
      Object.values(metrics).map((metric) => [
        code(prometheusName(metric)),
        metric.kind,
        (metric.labels ?? []).map((label) => code(label.replaceAll('.', '_'))).join(', '),
        metric.description,
      ]),
    ),
  ]);
  return buildPage('Metrics', introduction, sections);
}
