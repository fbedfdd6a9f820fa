import { prometheusName } from '@svc-asr/runtime';
import type { MetricDefinitions, Settings } from '@svc-asr/runtime';
import { buildPage, buildTable, code } from './markdown.ts';

/** Builds the page of all settings, with one table per service. */
export function buildSettingsPage(services: Readonly<Record<string, Settings>>): string {
  const introduction = [
    'Services are configured by environment variables. If a value is invalid or missing, the service',
    'exits at start and prints one line per setting. Names that end in `_MS` are in milliseconds. A',
    'setting marked *secret* can also be read from a file, which is recommended. `NAME_FILE` is the',
    'path of the file and takes precedence over `NAME`. `npm start` passes its environment to the',
    'services. Limits per IP address count an IPv6 network of 64 bits as one address.',
  ].join('\n');
  const sections = Object.entries(services).flatMap(([service, settings]) => [
    `## ${service}`,
    buildTable(
      ['name', 'default', 'meaning'],
      Object.entries(settings).map(([name, { fallback, description, secret }]) => [
        code(name),
        showDefault(fallback),
        secret === true ? `${description} *Secret.*` : description,
      ]),
    ),
  ]);
  return buildPage('Settings', introduction, sections);
}

function showDefault(fallback: string | undefined): string {
  if (fallback === undefined) return 'required';
  return fallback === '' ? 'empty' : code(fallback);
}

/** Builds the page of all metrics, with one table per service. */
export function buildMetricsPage(services: Readonly<Record<string, MetricDefinitions>>): string {
  const introduction = [
    'Every service exposes these metrics at `/metrics` of its admin port. If',
    '`OTEL_EXPORTER_OTLP_ENDPOINT` is set, it also exports them to an OpenTelemetry collector. The',
    'collector receives `http.server.request.duration` and its labels with dots, and counters without',
    '`_total`. Labels never contain a session, a key or a transcript, and contain tenants only if',
    '`TENANT_METRICS_MAX` of the gateway is set. [telemetry.md](telemetry.md) explains how to use the',
    'metrics.',
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

type Catalogue = Readonly<Record<string, { status: number; type: string; message: string }>>;

/** Builds the page of all errors of the HTTP API. */
export function buildErrorsPage(errors: Catalogue): string {
  const introduction = [
    'Every error of the HTTP API has the body',
    '`{"error": {"type", "code", "message", "request_id"}}`. Handle errors by `code`, which is stable.',
    '`message` is for humans and may differ from the text below. 429 and 503 have a `Retry-After`',
    'header. A request that is not valid HTTP gets the code `invalid_parameters`. The status is 431 if',
    'the headers are too large, 408 if the request arrives too slowly, and otherwise 400. Include the',
    '`request_id` when you ask for help, but never a key or a credential.',
  ].join('\n');
  const rows = Object.entries(errors).map(([name, { status, type, message }]) => [
    String(status),
    code(name),
    code(type),
    message,
  ]);
  return buildPage('Errors', introduction, [buildTable(['HTTP', 'code', 'type', 'message'], rows)]);
}

/** Builds the page of all log fields. */
export function buildLogsPage(fields: Readonly<Record<string, string>>): string {
  const introduction = [
    'Services write one JSON object per line to standard output. Each object has `level`, `time` (ISO',
    '8601), `message` and the fields below that apply. API keys, session credentials, `Authorization`,',
    'audio and transcripts are never logged. As a safeguard, a filter redacts keys, credentials, bearer',
    'tokens and passwords in Redis URLs, for example in messages of libraries.',
  ].join('\n');
  const rows = Object.entries(fields).map(([name, meaning]) => [code(name), meaning]);
  return buildPage('Logs', introduction, [buildTable(['field', 'meaning'], rows)]);
}
