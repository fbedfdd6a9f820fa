import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';

/** What readiness depends on: undefined when all is well, else a sentence that says what is missing. */
export type ReadinessCheck = () => string | undefined;

export interface AdminOptions {
  host: string;
  port: number;
  metrics: Metrics;
  ready: ReadinessCheck;
  /** Takes what is neither health nor metrics; without it that is 404. */
  otherwise?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Starts the admin port: `/livez` (the process answers), `/readyz` (it can do its work), `/metrics` (Prometheus). */
export async function startAdmin(options: AdminOptions): Promise<Server> {
  const server = createServer((request, response) => {
    switch (request.url?.split('?')[0]) {
      case '/livez':
        return answer(response, 200, 'ok\n');
      case '/readyz': {
        const missing = options.ready();
        return missing === undefined ? answer(response, 200, 'ok\n') : answer(response, 503, `${missing}\n`);
      }
      case '/metrics':
        return options.metrics.serve(request, response);
      default:
        if (options.otherwise === undefined) return answer(response, 404, 'there is nothing at this path\n');
        return options.otherwise(request, response);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return server;
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(body);
}
