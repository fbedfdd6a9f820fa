import { randomUUID } from 'node:crypto';
import type { Logger, Metrics } from '@svc-asr/runtime';
import type { Request, RequestHandler, Response } from 'express';

/** The id of the request that a response answers. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id'));
}

/** Gives each request an id, keeps its answer out of caches, logs it and measures it. */
export function observe(logger: Logger, metrics: Metrics): RequestHandler {
  const duration = metrics.meter.createHistogram('svc_asr_admin_request_duration_seconds', {
    description: 'Time that requests to the admin API took.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
  });
  return (request, response, next) => {
    const startedAt = performance.now();
    response.setHeader('X-Request-Id', randomUUID());
    response.setHeader('Cache-Control', 'no-store');
    response.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const route = routeOf(request);
      const { method } = request;
      const status = response.statusCode;
      duration.record(durationMs / 1000, { method, route, status });
      logger.info(
        { request_id: requestIdOf(response), method, route, status, duration_ms: Math.round(durationMs) },
        response.writableFinished ? 'request' : 'request whose client went away',
      );
    });
    next();
  };
}

/** The pattern that took the request; a raw path would make endless metric series and log what people type. */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : 'none';
}
