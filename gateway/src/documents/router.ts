import type { Documents } from '@svc-asr/api-docs';
import { ApiError } from '@svc-asr/core';
import { Router } from 'express';
import type { RequestHandler } from 'express';
import { exchangeOf } from '../http/exchange.ts';
import { withPublicUrl } from './address.ts';
import { ENCODINGS, prepare } from './prepared.ts';
import type { Encoding, Prepared } from './prepared.ts';
import { buildStartPage, START_PAGE_HEADERS } from './start-page.ts';

/** Addresses that the documents contain. */
export interface DocumentAddresses {
  publicUrl: string;
  /** Address of the console. Empty if there is none. */
  consoleUrl: string;
  /** CA file that the curl examples trust. Empty if clients trust the certificate of the gateway without it. */
  caFile: string;
}

/**
 * Serves `/openapi.json`, `/asyncapi.json`, `/docs` and the start page. They are served from memory, so that they are
 * available even if Redis is not.
 */
export function documentsRouter(rendered: Documents, { publicUrl, consoleUrl, caFile }: DocumentAddresses): Router {
  const documents = withPublicUrl(rendered, publicUrl, caFile, consoleUrl);
  const router = Router({ caseSensitive: true, strict: true });
  const json = 'application/json; charset=utf-8';
  const pageHeaders = JSON.parse(documents['docs.headers.json']) as Record<string, string>;
  serve(router, '/openapi.json', prepare(json, documents['openapi.json']), {});
  serve(router, '/asyncapi.json', prepare(json, documents['asyncapi.json']), {});
  serve(router, '/docs', prepare(HTML, documents['docs.html']), pageHeaders);
  const start = send(prepare(HTML, buildStartPage(consoleUrl)), START_PAGE_HEADERS);
  // A client that does not accept HTML gets the same 404 as for any unknown path.
  router.get('/', (request, response, next) => {
    if (request.headers.accept?.includes('text/html') === true) void start(request, response, next);
    else next();
  });
  return router;
}

const HTML = 'text/html; charset=utf-8';

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
