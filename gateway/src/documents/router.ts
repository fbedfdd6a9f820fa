import type { Documents } from '@svc-asr/api-docs';
import { ApiError } from '@svc-asr/core';
import { Router } from 'express';
import type { RequestHandler } from 'express';
import { exchangeOf } from '../http/exchange.ts';
import { withPublicUrl } from './address.ts';
import { ENCODINGS, prepare } from './prepared.ts';
import type { Encoding, Prepared } from './prepared.ts';

/** Serves `/openapi.json`, `/asyncapi.json` and `/docs` from memory, so they are available even if Redis is not. */
export function documentsRouter(rendered: Documents, publicUrl: string): Router {
  const documents = withPublicUrl(rendered, publicUrl);
  const router = Router({ caseSensitive: true, strict: true });
  const json = 'application/json; charset=utf-8';
  const pageHeaders = JSON.parse(documents['docs.headers.json']) as Record<string, string>;
  serve(router, '/openapi.json', prepare(json, documents['openapi.json']), {});
  serve(router, '/asyncapi.json', prepare(json, documents['asyncapi.json']), {});
  serve(router, '/docs', prepare('text/html; charset=utf-8', documents['docs.html']), pageHeaders);
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
