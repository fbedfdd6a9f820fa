import { ApiError, buildAsyncApi, buildOpenApi } from '@svc-asr/core';
import type { OpenApi } from '@svc-asr/core';
import { Router } from 'express';
import type { RequestHandler } from 'express';
import { exchangeOf } from '../http/exchange.ts';
import { page } from './page.ts';
import { CONTENT_SECURITY_POLICY } from './policy.ts';
import { ENCODINGS, prepare } from './prepared.ts';
import type { Encoding, Prepared } from './prepared.ts';

const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
};

/**
 * Serves `/openapi.json`, `/asyncapi.json` and `/docs`. They are built once and need nothing else, so they are there
 * when everything else is away.
 */
export function documentsRouter(options: OpenApi.DocumentOptions): Router {
  const openApi = buildOpenApi(options);
  const asyncApi = buildAsyncApi(options);
  const router = Router({ caseSensitive: true, strict: true });
  const json = 'application/json; charset=utf-8';
  serve(router, '/openapi.json', prepare(json, JSON.stringify(openApi)), {});
  serve(router, '/asyncapi.json', prepare(json, JSON.stringify(asyncApi)), {});
  serve(router, '/docs', prepare('text/html; charset=utf-8', page(openApi, asyncApi)), PAGE_HEADERS);
  return router;
}

function serve(router: Router, path: string, prepared: Prepared, headers: Record<string, string>): void {
  router.route(path).get(send(prepared, headers)).all(refuse);
}

function send({ contentType, variants }: Prepared, headers: Record<string, string>): RequestHandler {
  return (request, response) => {
    const encoding = request.acceptsEncodings([...ENCODINGS]) || 'identity';
    const { body, etag } = variants[encoding as Encoding];
    response.set({
      'X-Request-Id': exchangeOf(response).requestId,
      'Content-Type': contentType,
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ETag: etag,
      ...headers,
    });
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.send(body);
  };
}

const refuse: RequestHandler = (_request, _response, next) => {
  next(new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } }));
};
