import type { DocumentOptions, OpenApiDocument, Response } from './document.ts';
import { SESSIONS_PATH, streamPath } from '../stream/limits.ts';
import { errorsGuide } from './guides/errors.ts';
import { overview } from './guides/overview.ts';
import { HEADERS } from './headers.ts';
import { publishSchemas } from './json-schema.ts';
import { documentPaths } from './paths/documents.ts';
import { modelsPath } from './paths/models.ts';
import { sessionsPath } from './paths/sessions.ts';
import { streamHandshakePath } from './paths/stream.ts';
import { usagePath } from './paths/usage.ts';
import { errorResponses } from './responses.ts';
import {
  AsrSession,
  CreateSessionRequest,
  CreditBalance,
  ErrorResponse,
  Model,
  ModelList,
  UsageSession,
} from './schemas.ts';

/** Version of the interface that the documents describe (interface, section 9). */
export const INTERFACE_VERSION = '1.0.0';

const SCHEMAS = { Model, ModelList, CreateSessionRequest, AsrSession, CreditBalance, UsageSession, ErrorResponse };

/** The OpenAPI 3.1 document of the HTTP API. */
export function buildOpenApi({ version, publicUrl }: DocumentOptions): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'svc-asr',
      version,
      summary: 'Streaming speech recognition for African languages.',
      description: `${overview(publicUrl)}\n${errorsGuide()}`,
    },
    servers: [{ url: publicUrl, description: 'This service.' }],
    tags: [
      { name: 'Models', description: 'What can be recognised.' },
      { name: 'Sessions', description: 'Reserving credit and getting the address to stream to.' },
      { name: 'Stream', description: 'The handshake of the WebSocket.' },
      { name: 'Usage', description: 'Credit and past sessions.' },
      { name: 'Documents', description: 'The description of the service itself.' },
    ],
    paths: {
      '/v1/models': modelsPath(publicUrl),
      [SESSIONS_PATH]: sessionsPath(publicUrl),
      [streamPath('{id}')]: streamHandshakePath(),
      '/v1/usage': usagePath(publicUrl),
      ...documentPaths(),
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'svc_live_v1_…',
          description: 'A permanent API key. It stays on your server.',
        },
      },
      schemas: publishSchemas(SCHEMAS, ['CreateSessionRequest']),
      headers: { ...HEADERS },
      responses: responsesOfNoOperation(),
    },
  };
}

/** What a path or method gets that no operation describes. */
function responsesOfNoOperation(): Record<'NotFound' | 'MethodNotAllowed', Response> {
  const responses = errorResponses(['not_found', 'method_not_allowed'], (status) => (status === 405 ? ['Allow'] : []));
  const { 404: notFound, 405: methodNotAllowed } = responses;
  if (notFound === undefined || methodNotAllowed === undefined) throw new Error('the error catalogue lacks 404 or 405');
  return { NotFound: notFound, MethodNotAllowed: methodNotAllowed };
}
