import { integer } from '../settings.ts';
import type { Setting } from '../settings.ts';

/**
 * Settings of the telemetry export. Names that start with OTEL_ are defined by OpenTelemetry, including their units.
 */
export const TELEMETRY_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalEndpoint(
    'Address of an OpenTelemetry collector that receives traces and metrics as OTLP over HTTP, for example http://collector:4318. If empty, nothing is exported; metrics are still available at /metrics.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: headers('Headers of the export requests, as name=value separated by commas.'),
  OTEL_METRIC_EXPORT_INTERVAL: integer('Milliseconds between two exports of metrics.', 60_000, 100, 3_600_000),
  OTEL_BSP_SCHEDULE_DELAY: integer('Milliseconds that spans are buffered before they are exported.', 5000, 1, 600_000),
  TRACES_SAMPLE_RATIO: ratio(
    'Ratio of sessions that are traced, from 0 to 1. Must be the same for all gateways, because each gateway decides by the session id. A worker traces the sessions that the gateways trace, unless its own ratio is 0.',
    1,
  ),
} as const;

function optionalEndpoint(description: string): Setting<string> {
  return {
    description,
    fallback: '',
    read: (value) => {
      if (value === '') return '';
      if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
        throw new Error('is not a URL that starts with http:// or https://');
      }
      return value.replace(/\/+$/, '');
    },
  };
}

/** Defines a setting whose value is a list of headers. Values are percent-encoded, as OpenTelemetry specifies. */
function headers(description: string): Setting<Record<string, string>> {
  return {
    description,
    fallback: '',
    // The headers contain the credentials for the receiver.
    secret: true,
    read: (value) => {
      const pairs = value.split(',').filter((pair) => pair.trim() !== '');
      return Object.fromEntries(
        pairs.map((pair, place) => {
          const [name = '', ...rest] = pair.split('=');
          if (name.trim() === '' || rest.length === 0) throw new Error(`header ${place + 1} is not name=value`);
          return [name.trim(), decodeURIComponent(rest.join('=').trim())];
        }),
      );
    },
  };
}

function ratio(description: string, fallback: number): Setting<number> {
  return {
    description,
    fallback: String(fallback),
    read: (value) => {
      const number = Number(value);
      if (value.trim() === '' || !(number >= 0 && number <= 1)) throw new Error(`"${value}" is not from 0 to 1`);
      return number;
    },
  };
}
