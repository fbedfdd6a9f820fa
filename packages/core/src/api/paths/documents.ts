import type { Operation, PathItem } from '../document.ts';
import { headersOf } from '../headers.ts';

/** /openapi.json, /asyncapi.json and /docs */
export function documentPaths(): Record<string, PathItem> {
  return {
    '/openapi.json': {
      get: document(
        'getOpenApi',
        'OpenAPI document',
        'This document: the HTTP API in OpenAPI 3.1.',
        'application/json',
      ),
    },
    '/asyncapi.json': {
      get: document('getAsyncApi', 'AsyncAPI document', 'The stream in AsyncAPI 3.0.', 'application/json'),
    },
    '/docs': {
      get: document('getDocs', 'Documentation', 'Both documents as one page for a person.', 'text/html'),
    },
  };
}

function document(operationId: string, summary: string, description: string, mediaType: string): Operation {
  const schema = mediaType === 'application/json' ? { type: 'object' } : { type: 'string' };
  return {
    operationId,
    tags: ['Documents'],
    summary,
    description: `${description} Public, and open to other origins.`,
    security: [],
    responses: {
      200: {
        description: 'The document.',
        headers: headersOf('X-Request-Id', 'ETag', 'Cache-Control'),
        content: { [mediaType]: { schema } },
      },
      304: {
        description: 'The document that If-None-Match names still holds.',
        headers: headersOf('X-Request-Id', 'ETag', 'Cache-Control'),
      },
    },
  };
}
