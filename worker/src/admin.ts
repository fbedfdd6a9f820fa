import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Metrics } from '@svc-asr/runtime';

/** Undefined when all is well, else a sentence that says what is wrong. */
export type Check = () => string | undefined;

export interface AdminOptions {
  host: string;
  port: number;
  metrics: Metrics;
  /** Unlike other services a worker can hang while its main thread answers. */
  live: Check;
  ready: Check;
}

/** Starts the admin port: `/livez`, `/readyz` and `/metrics`. */
export async function startAdmin({ host, port, metrics, live, ready }: AdminOptions): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/livez') answerCheck(response, live());
    else if (path === '/readyz') answerCheck(response, ready());
    else if (path === '/metrics') metrics.serve(request, response);
    else answer(response, 404, 'there is nothing at this path');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

function answerCheck(response: ServerResponse, problem: string | undefined): void {
  if (problem === undefined) answer(response, 200, 'ok');
  else answer(response, 503, problem);
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${body}\n`);
}
