import type { OpenApiDocument, Response } from './document.ts';
import { httpGuide } from '../guides.ts';
import { EXAMPLE_URL } from './examples.ts';
import { HEADERS } from './headers.ts';
import { publishSchemas } from '../json-schema.ts';
import { documentPaths } from './paths/documents.ts';
import { modelsPath } from './paths/models.ts';
import { sessionPathItem } from './paths/session.ts';
import { sessionsPath } from './paths/sessions.ts';
import { streamHandshakePath } from './paths/stream.ts';
import { realtimePath } from './paths/realtime.ts';
import { transcriptionsPath } from './paths/transcriptions.ts';
import { usagePath } from './paths/usage.ts';
import { errorResponses } from './responses.ts';
import {
  AsrSession,
  CreateSessionRequest,
  CreditBalance,
  ErrorResponse,
  Model,
  ModelList,
  REALTIME_PATH,
  SessionDetail,
  sessionPath,
  SESSIONS_PATH,
  streamPath,
  TRANSCRIPTIONS_PATH,
  UsageSession,
} from '@svc-asr/core';

/** Version of the API that the documents describe. */
export const INTERFACE_VERSION = '1.0.0';

const SCHEMAS = {
  Model,
  ModelList,
  CreateSessionRequest,
  AsrSession,
  CreditBalance,
  UsageSession,
  SessionDetail,
  ErrorResponse,
};

/** Builds the OpenAPI 3.1 document of the HTTP API. */
export function buildOpenApi(): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'svc-asr',
      version: INTERFACE_VERSION,
      summary: 'Streaming speech recognition for African languages.',
      description: httpGuide(),
    },
    servers: [{ url: EXAMPLE_URL, description: 'This service.' }],
    tags: [
      { name: 'Models', description: 'The installed recognition models.' },
      { name: 'Sessions', description: 'Reserve credit and get an address to stream to. Read and cancel sessions.' },
      { name: 'Stream', description: 'The WebSocket handshake.' },
      { name: 'Realtime', description: 'Transcribe live audio, with the events of the OpenAI API.' },
      { name: 'Files', description: 'Transcribe recorded audio, with the shapes of the OpenAI API.' },
      { name: 'Usage', description: 'Credit and past sessions.' },
      { name: 'Documents', description: 'Documentation of the API.' },
    ],
    paths: {
      '/v1/models': modelsPath(),
      [SESSIONS_PATH]: sessionsPath(),
      [sessionPath('{id}')]: sessionPathItem(),
      [streamPath('{id}')]: streamHandshakePath(),
      [TRANSCRIPTIONS_PATH]: transcriptionsPath(),
      [REALTIME_PATH]: realtimePath(),
      '/v1/usage': usagePath(),
      ...documentPaths(),
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'svc_live_v1_…',
          description: 'A permanent API key. Keep it on your server.',
        },
      },
      schemas: publishSchemas(SCHEMAS, ['CreateSessionRequest']),
      headers: { ...HEADERS },
      responses: unmatchedResponses(),
    },
  };
}

/** Builds the responses to requests that match no operation. */
function unmatchedResponses(): Record<'NotFound' | 'MethodNotAllowed', Response> {
  const responses = errorResponses(['not_found', 'method_not_allowed'], (status) => (status === 405 ? ['Allow'] : []));
  const { 404: notFound, 405: methodNotAllowed } = responses;
  if (notFound === undefined || methodNotAllowed === undefined) throw new Error('the error catalogue lacks 404 or 405');
  return { NotFound: notFound, MethodNotAllowed: methodNotAllowed };
}
