import { randomUUID } from 'node:crypto';
import { createHistogram } from '@svc-asr/runtime';
import type { Logger, Metrics } from '@svc-asr/runtime';
import type { Request, RequestHandler, Response } from 'express';
import { CONSOLE_METRICS } from '../metric-list.ts';

/** Returns the id of the request that a response belongs to. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id'));
}

/** Gives each request an id, forbids caching of its response by default, and logs and measures it. */
export function observe(logger: Logger, metrics: Metrics): RequestHandler {
  const duration = createHistogram(metrics.meter, CONSOLE_METRICS.requestSeconds);
  return (request, response, next) => {
    const startedAt = performance.now();
    response.setHeader('X-Request-Id', randomUUID());
    response.setHeader('Cache-Control', 'no-store');
    response.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const route = routeOf(request);
      const { method } = request;
      const status = response.statusCode;
      duration.record(durationMs / 1000, {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
      });
      logger.info(
        { request_id: requestIdOf(response), method, route, status, duration_ms: Math.round(durationMs) },
        response.writableFinished ? 'request' : 'request, client disconnected before the response ended',
      );
    });
    next();
  };
}

/**
 * Returns the matched route pattern. Raw paths would create unlimited metric series and put user input into the logs.
 */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : 'none';
}
