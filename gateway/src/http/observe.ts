import type { RequestHandler } from 'express';
import { logQuickly } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { takeBrokenAnswer } from '../server/broken-request.ts';
import { exchangeOf } from './exchange.ts';
import type { RefusalLog } from './refusal-log.ts';

/** Status that proxies log when a client disconnects before the response was sent. */
const CLIENT_CLOSED_REQUEST = 499;
const LOST = 'the connection was lost before the response was sent';
const BROKEN = 'the request was incomplete';

/**
 * Logs and counts each request once: when its response was sent, or when its connection was lost. Also records refused
 * requests whose tenant is known.
 */
export function observe(
  logger: Logger,
  metrics: GatewayMetrics,
  refusals?: Pick<RefusalLog, 'record'>,
): RequestHandler {
  return (request, response, next) => {
    response.once('close', () => {
      const exchange = exchangeOf(response);
      const { traceId, route, tenant, keyId, startedAtMs } = exchange;
      const { headersSent } = response;
      // The code in broken-request.ts answers broken requests without Express. Its answer has a request id of its own.
      const broken = headersSent ? undefined : takeBrokenAnswer(request.socket);
      const { requestId, code } = broken ?? exchange;
      const durationMs = performance.now() - startedAtMs;
      // `statusCode` is 200 even if the response was never sent.
      const status = headersSent ? response.statusCode : (broken?.status ?? CLIENT_CLOSED_REQUEST);
      metrics.requests.add(1, { route, method: request.method, status, code: code ?? '' });
      const { method } = request;
      const labels = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status };
      metrics.requestSeconds.record(durationMs / 1000, labels);
      if (status >= 400 && tenant !== undefined && code !== undefined) {
        const { message, model } = exchange;
        refusals?.record({ tenant, keyId, requestId, method, route, status, code, message, model });
      }
      exchange.trace?.end({ method, route, status, code });
      const duration = Math.round(durationMs * 10) / 10;
      if (response.writableFinished && traceId === undefined) {
        const refusal = code === undefined ? '' : `,"code":"${code}"`;
        const caller = tenant === undefined ? '' : `,"tenant":"${tenant}","key_id":"${keyId ?? ''}"`;
        const fields = `"request_id":"${requestId}","method":"${request.method}","route":"${route}","status":${status}`;
        logQuickly(logger, `${fields}${refusal}${caller},"duration_ms":${duration}`, 'request');
        return;
      }
      logger.info(
        {
          request_id: requestId,
          ...(traceId === undefined ? {} : { trace_id: traceId }),
          method: request.method,
          route,
          status,
          ...(code === undefined ? {} : { code }),
          ...(tenant === undefined ? {} : { tenant, key_id: keyId }),
          duration_ms: duration,
          ...(response.writableFinished ? {} : { reason: broken === undefined ? LOST : BROKEN }),
        },
        'request',
      );
    });
    next();
  };
}
