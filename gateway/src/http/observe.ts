import type { RequestHandler } from 'express';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { exchangeOf } from './exchange.ts';

/** Logs and counts each request once, when its answer is through or its connection lost. */
export function observe(logger: Logger, metrics: GatewayMetrics): RequestHandler {
  return (request, response, next) => {
    response.once('close', () => {
      const { requestId, traceId, route, tenant, keyId, code, startedAtMs } = exchangeOf(response);
      const durationMs = performance.now() - startedAtMs;
      const status = response.statusCode;
      metrics.requests.add(1, { route, method: request.method, status, code: code ?? '' });
      metrics.requestSeconds.record(durationMs / 1000, { route });
      logger.info(
        {
          request_id: requestId,
          ...(traceId === undefined ? {} : { trace_id: traceId }),
          method: request.method,
          route,
          status,
          ...(code === undefined ? {} : { code }),
          ...(tenant === undefined ? {} : { tenant, key_id: keyId }),
          duration_ms: Math.round(durationMs * 10) / 10,
          ...(response.writableFinished ? {} : { reason: 'the connection was lost before the answer was sent' }),
        },
        'request',
      );
    });
    next();
  };
}
