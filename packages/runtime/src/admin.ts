import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';

/** A health check. Returns undefined if the service is healthy, otherwise a description of the problem. */
export type HealthCheck = () => string | undefined;

export interface AdminOptions {
  host: string;
  port: number;
  metrics: Metrics;
  ready: HealthCheck;
  /**
   * Liveness check of a service that can hang while its main thread still answers. If omitted, a service that answers
   * is live.
   */
  live?: HealthCheck;
}

/**
 * Starts the admin port. `/livez` fails if the process must be restarted, and `/readyz` fails if it cannot serve
 * requests. `/metrics` is for Prometheus.
 */
export async function startAdmin(options: AdminOptions): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/livez') answerCheck(response, options.live?.());
    else if (path === '/readyz') answerCheck(response, options.ready());
    else if (path === '/metrics') options.metrics.serve(request, response);
    else answer(response, 404, 'there is nothing at this path\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return server;
}

function answerCheck(response: ServerResponse, problem: string | undefined): void {
  if (problem === undefined) answer(response, 200, 'ok\n');
  else answer(response, 503, `${problem}\n`);
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(body);
}
