import { integer } from '../settings.ts';
import type { Setting } from '../settings.ts';

/** Where telemetry goes. Names that begin with OTEL_ are OpenTelemetry's own, with its meaning and unit. */
export const TELEMETRY_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalEndpoint(
    'Address of an OpenTelemetry collector that takes OTLP over HTTP, e.g. http://collector:4318: traces and metrics are sent to it. Empty: to nobody; metrics can still be read at /metrics.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: headers('Headers to send along, as name=value separated by commas.'),
  OTEL_METRIC_EXPORT_INTERVAL: integer('Milliseconds between two sendings of metrics.', 60_000, 100, 3_600_000),
  OTEL_BSP_SCHEDULE_DELAY: integer('Milliseconds that spans are gathered before they are sent.', 5000, 1, 600_000),
  TRACES_SAMPLE_RATIO: ratio(
    'Share of sessions that are traced, from 0 to 1. The same for all services: each decides by the id of the session.',
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
        throw new Error('is not a URL that begins with http:// or https://');
      }
      return value.replace(/\/+$/, '');
    },
  };
}

/** Values are percent-encoded, as OpenTelemetry has it. */
function headers(description: string): Setting<Record<string, string>> {
  return {
    description,
    fallback: '',
    // They tell who we are to the receiver.
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
