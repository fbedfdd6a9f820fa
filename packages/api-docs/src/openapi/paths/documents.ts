import type { Operation, PathItem } from '../document.ts';
import { headersOf } from '../headers.ts';

/** Describes /openapi.json, /asyncapi.json and /docs. */
export function documentPaths(): Record<string, PathItem> {
  return {
    '/openapi.json': {
      get: document(
        'getOpenApi',
        'OpenAPI document',
        'This document, which describes the HTTP API in OpenAPI 3.1.',
        'application/json',
      ),
    },
    '/asyncapi.json': {
      get: document(
        'getAsyncApi',
        'AsyncAPI document',
        'A document that describes the stream in AsyncAPI 3.0.',
        'application/json',
      ),
    },
    '/docs': {
      get: document('getDocs', 'Documentation', 'A web page with the content of both documents.', 'text/html'),
    },
  };
}

function document(operationId: string, summary: string, description: string, mediaType: string): Operation {
  const schema = mediaType === 'application/json' ? { type: 'object' } : { type: 'string' };
  return {
    operationId,
    tags: ['Documents'],
    summary,
    description: `${description} It needs no API key and allows requests from any origin.`,
    security: [],
    responses: {
      200: {
        description: 'The document.',
        headers: headersOf('X-Request-Id', 'ETag', 'Cache-Control'),
        content: { [mediaType]: { schema } },
      },
      304: {
        description: 'The document has not changed since the version that If-None-Match names.',
        headers: headersOf('X-Request-Id', 'ETag', 'Cache-Control'),
      },
    },
  };
}
