import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readingsOf } from './otlp.ts';
import type { MetricsBody, TracesBody } from './otlp.ts';
import { toPoint } from './page-data.ts';
import type { PageData } from './page-data.ts';
import { buildSnapshot } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';
import { MetricStore } from './store.ts';
import { TraceStore } from './traces.ts';

const LOOPBACK = '127.0.0.1';
const HOSTS = /^(127\.0\.0\.1|localhost)(:\d+)?$/;
const EVERY_MS = 1000;
/** Long enough for one export to finish before the next, even on a busy machine. */
const EXPORT_INTERVAL_MS = 2000;
/** Ten minutes at one snapshot per second. */
const KEPT_POINTS = 600;
/** Headers that belong to the connection and are not forwarded. */
const OF_THE_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'];
const MAX_BODY_BYTES = 16_777_216;
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
const SCRIPTS = ['main.js', 'cards.js', 'elements.js', 'format.js', 'plot.js', 'tables.js', 'waterfall.js'];
const FILES = ['index.html', 'page.css', ...SCRIPTS];
/** The page loads nothing from other origins. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** A loopback page that shows the telemetry of the services. */
export interface Observer {
  readonly url: string;
  /** Environment variables that make services send their telemetry to the observer. */
  readonly env: NodeJS.ProcessEnv;
  stop: () => Promise<void>;
}

/** Starts the observer. It forwards all telemetry to `forwardTo`, if set. */
export async function startObserver(options: { port?: number; forwardTo?: string } = {}): Promise<Observer> {
  const metrics = new MetricStore();
  const traces = new TraceStore();
  const history: { atMs: number; snapshot: Snapshot }[] = [];
  const timer = setInterval(() => {
    history.push({ atMs: Date.now(), snapshot: buildSnapshot(metrics, Date.now()) });
    if (history.length > KEPT_POINTS) history.shift();
  }, EVERY_MS);

  function takeMetrics(body: MetricsBody): void {
    for (const [source, readings] of readingsOf(body)) metrics.take(source, readings, Date.now());
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '/';
    // Rejects requests of other sites whose DNS name resolves to this machine (DNS rebinding).
    if (!HOSTS.test(request.headers.host ?? '')) {
      send(response, 403, 'text/plain', 'use the address of the page\n');
      return;
    }
    if (request.method === 'POST' && (path === '/v1/metrics' || path === '/v1/traces')) {
      const body = await bodyOf(request);
      if (path === '/v1/traces') traces.take(JSON.parse(body) as TracesBody);
      else takeMetrics(JSON.parse(body) as MetricsBody);
      send(response, 200, 'application/json', '{}');
      if (options.forwardTo !== undefined) await forward(options.forwardTo + path, body, request);
    } else if (path === '/data') {
      const data: PageData = {
        now: buildSnapshot(metrics, Date.now()),
        history: history.map(toPoint),
        sessions: traces.list(),
      };
      send(response, 200, 'application/json', JSON.stringify(data));
    } else {
      const name = path === '/' ? 'index.html' : path.slice(1);
      if (!FILES.includes(name)) {
        send(response, 404, 'text/plain', 'there is nothing at this path\n');
        return;
      }
      const text = await readFile(join(import.meta.dirname, 'page', name), 'utf8');
      send(response, 200, `${TYPES[name.split('.')[1] ?? ''] ?? 'text/plain'}; charset=utf-8`, text);
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) send(response, 400, 'text/plain', 'not OTLP in JSON\n');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, LOOPBACK, resolve);
  });
  const url = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_METRIC_EXPORT_INTERVAL: String(EXPORT_INTERVAL_MS),
      OTEL_BSP_SCHEDULE_DELAY: String(EVERY_MS),
    },
    stop: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('the request body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Failures are ignored: an unavailable receiver must not affect the services. */
async function forward(url: string, body: string, { headers }: IncomingMessage): Promise<void> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !OF_THE_CONNECTION.includes(name) ? [[name, value] as const] : [],
  );
  await fetch(url, { method: 'POST', headers: Object.fromEntries(kept), body }).catch(() => undefined);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': type });
  response.end(body);
}
