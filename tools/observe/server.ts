import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import type { NextFunction, Request, Response } from 'express';
import { root } from '../launch/terminal.mjs';
import { MetricStore } from './metric-store.ts';
import type { MetricsBody, TracesBody } from './otlp.ts';
import { TraceStore } from './traces.ts';
import { buildView } from './view.ts';
import type { PageData } from './view.ts';

const LOOPBACK = '127.0.0.1';
const HOSTS = /^(127\.0\.0\.1|localhost)(:\d+)?$/;
const EVERY_MS = 1000;
/** Interval of exports. It is long enough for an export to finish before the next one, even on a busy machine. */
const EXPORT_INTERVAL_MS = 2000;
/** Number of points in the history: ten minutes at one point per second. */
const KEPT_POINTS = 600;
/** The page loads nothing from other origins. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const PAGE = join(import.meta.dirname, 'page');
const UPLOT = join(root, 'node_modules/uplot/dist');
/** Headers that belong to the connection or to the encoding of the body. They are not forwarded. */
const HOP_HEADERS = /^(host|connection|content-length|content-encoding|transfer-encoding|keep-alive|expect)$/;

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
  const history: PageData['history'] = [];
  const timer = setInterval(() => {
    const atMs = Date.now();
    const { cards } = buildView(metrics, atMs);
    history.push({ atMs, values: cards.map(({ lines }) => lines.map(([, value]) => value)) });
    if (history.length > KEPT_POINTS) history.shift();
  }, EVERY_MS);

  const app = express();
  app.disable('x-powered-by');
  app.use((request, response, next) => {
    response.set(HEADERS);
    // Rejects requests of other sites whose DNS name resolves to this machine (DNS rebinding).
    if (HOSTS.test(request.headers.host ?? '')) next();
    else response.status(403).type('text').send('use the address of the page\n');
  });
  // The services send JSON only.
  app.use(express.json({ limit: '16mb', type: () => true }));
  const receive = (path: string, take: (body: object) => void) =>
    app.post(path, (request: Request<object, object, object>, response) => {
      take(request.body);
      response.json({});
      if (options.forwardTo !== undefined) void forward(options.forwardTo + path, request.body, request.headers);
    });
  receive('/v1/metrics', (body: MetricsBody) => metrics.take(body, Date.now()));
  receive('/v1/traces', (body: TracesBody) => traces.take(body));
  app.get('/data', (_request, response) => {
    const data: PageData = { ...buildView(metrics, Date.now()), history, sessions: traces.list() };
    response.json(data);
  });
  app.use(express.static(PAGE), express.static(UPLOT));
  app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(400).type('text').send('not OTLP in JSON\n');
  });

  const server = createServer(app);
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

/** Forwards a request and ignores failures, because an unavailable receiver must not affect the services. */
async function forward(url: string, body: object, headers: IncomingHttpHeaders): Promise<void> {
  const kept = Object.entries(headers).filter(([name]) => !HOP_HEADERS.test(name)) as [string, string][];
  await fetch(url, { method: 'POST', headers: kept, body: JSON.stringify(body) }).catch(() => undefined);
}
