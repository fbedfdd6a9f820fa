import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Value {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
}
interface Pair {
  key: string;
  value: Value;
}
type Attributes = Record<string, string | number | boolean | undefined>;

/** A received span. */
export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentSpanId: string;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  events: string[];
  links: { traceId: string; spanId: string }[];
}

interface TracesBody {
  resourceSpans?: {
    resource: { attributes: Pair[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes?: Pair[];
        events?: { name: string }[];
        links?: { traceId: string; spanId: string }[];
      }[];
    }[];
  }[];
}

interface MetricsBody {
  resourceMetrics?: {
    resource: { attributes: Pair[] };
    scopeMetrics: { metrics: { name: string; unit?: string }[] }[];
  }[];
}

/** A receiver of OTLP over HTTP in JSON, on loopback. */
export interface Receiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Names of the received metrics with their units, by service. */
  readonly metrics: Map<string, Map<string, string>>;
  /** Everything that was received, as text. */
  readonly raw: string[];
  readonly headers: IncomingMessage['headers'][];
  stop: () => Promise<void>;
}

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const received: Omit<Receiver, 'url' | 'stop'> = { spans: [], metrics: new Map(), raw: [], headers: [] };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (data: Buffer) => (text += data.toString()));
    request.on('end', () => {
      received.raw.push(text);
      received.headers.push(request.headers);
      const body = JSON.parse(text) as TracesBody & MetricsBody;
      if (request.url === '/v1/traces') received.spans.push(...spansOf(body));
      if (request.url === '/v1/metrics') takeMetrics(body, received.metrics);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf({ resourceSpans = [] }: TracesBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId = '', attributes = [], events = [], links = [], ...times }) => ({
        service: serviceOf(resource),
        name,
        traceId,
        spanId,
        parentSpanId,
        startMs: Number(times.startTimeUnixNano) / 1e6,
        endMs: Number(times.endTimeUnixNano) / 1e6,
        attributes: read(attributes),
        events: events.map((event) => event.name),
        links,
      })),
    ),
  );
}

function takeMetrics({ resourceMetrics = [] }: MetricsBody, into: Receiver['metrics']): void {
  for (const { resource, scopeMetrics } of resourceMetrics) {
    const names = into.get(serviceOf(resource)) ?? new Map<string, string>();
    into.set(serviceOf(resource), names);
    for (const { metrics } of scopeMetrics) for (const { name, unit = '' } of metrics) names.set(name, unit);
  }
}

function serviceOf({ attributes }: { attributes: Pair[] }): string {
  return String(read(attributes)['service.name']);
}

function read(pairs: readonly Pair[]): Attributes {
  return Object.fromEntries(
    pairs.map(({ key, value }) => {
      const { stringValue, intValue, doubleValue, boolValue } = value;
      return [key, stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue))];
    }),
  );
}
