import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { AUDIO, SESSION_CREDENTIAL_PREFIX, streamPath } from '@svc-asr/core';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { createCertificate } from '../certificate.ts';
import { serveStream } from './protocol.ts';
import type { Received, Script } from './protocol.ts';

export const TEST_KEY = `svc_live_v1_0123456789_${'a'.repeat(38)}`;

export interface Refusal {
  status: number;
  code: string;
  message: string;
  retryAfterS?: number;
}

export interface TestService {
  url: string;
  ca: string;
  /** Behaviour of the next streams. */
  script: Script;
  /** Behaviours of the next streams, one for each stream. After the last of them, `script` applies. */
  scripts: Script[];
  /** Seconds that new sessions can reserve. */
  creditSeconds: number;
  /** Error response to POST /v1/asr/sessions instead of a session. */
  refusal: Refusal | undefined;
  /** Error responses to the next session requests, one for each request. After the last of them, `refusal` applies. */
  refusals: Refusal[];
  /** Error response to the handshake. */
  handshakeRefusal: Refusal | undefined;
  /** Bodies of the session requests that were accepted so far. */
  requests: { model: string; max_audio_seconds?: number }[];
  streams: Received[];
  close: () => void;
}

const MODELS = [
  { id: 'svc-asr-kikuyu-v1', language: 'Kikuyu', language_code: 'ki', max_audio_seconds: 300 },
  { id: 'svc-asr-dholuo-v1', language: 'Dholuo', language_code: 'luo', max_audio_seconds: 300 },
];

/**
 * Starts a service that follows the protocol without recognizing speech, unless a script sets another behaviour. Its
 * transcripts report the received samples.
 */
export async function startTestService({ isPlain = false } = {}): Promise<TestService> {
  const { cert, key } = await createCertificate();
  const sessions = new Map<string, { id: string; model: string; seconds: number }>();
  const sockets = new Set<WebSocket>();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server = isPlain ? createPlainServer(onRequest) : createServer({ cert, key }, onRequest);
  const upgrades = new WebSocketServer({
    noServer: true,
    maxPayload: 131_072,
    handleProtocols: () => 'svc.realtime.v1',
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `localhost:${(server.address() as AddressInfo).port}`;

  const service: TestService = {
    url: `http${isPlain ? '' : 's'}://${host}`,
    ca: cert,
    script: {},
    scripts: [],
    creditSeconds: 3600,
    refusal: undefined,
    refusals: [],
    handshakeRefusal: undefined,
    requests: [],
    streams: [],
    close: () => {
      for (const socket of sockets) socket.terminate();
      server.closeAllConnections();
      server.close();
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const json = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    const refuse = (refusal: Refusal) => {
      if (refusal.retryAfterS !== undefined) response.setHeader('retry-after', refusal.retryAfterS);
      json(refusal.status, errorOf(refusal));
    };
    if (request.url === '/v1/models') json(200, { object: 'list', data: MODELS });
    else if (request.headers.authorization !== `Bearer ${TEST_KEY}`) json(401, errorBody('invalid_api_key', 'No.'));
    else if (service.refusals.length > 0 || service.refusal !== undefined) {
      refuse(service.refusals.shift() ?? service.refusal!);
    } else if (service.creditSeconds < 1) refuse({ status: 402, code: 'insufficient_credits', message: 'No credit.' });
    else json(201, createSession(JSON.parse(body) as TestService['requests'][number]));
  }

  function createSession(request: TestService['requests'][number]): object {
    service.requests.push(request);
    const [id, credential] = [randomUUID(), `${SESSION_CREDENTIAL_PREFIX}s3cret-${randomUUID()}`];
    const seconds = Math.min(request.max_audio_seconds ?? 60, service.creditSeconds);
    service.creditSeconds -= seconds;
    sessions.set(credential, { id, model: request.model, seconds });
    const url = `ws${isPlain ? '' : 's'}://${host}${streamPath(id)}`;
    return sessionBody({ id, credential, url, seconds, model: request.model, remaining: service.creditSeconds });
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [, credential = ''] = (request.headers['sec-websocket-protocol'] ?? '').split(/,\s*/);
    const session = sessions.get(credential);
    const isOpen = session !== undefined && request.url === streamPath(session.id);
    const used = { status: 401, code: 'invalid_session_credential', message: 'The credential was used or expired.' };
    const refusal = service.handshakeRefusal ?? (isOpen ? undefined : used);
    if (refusal !== undefined || session === undefined) {
      const body = JSON.stringify(errorOf(refusal ?? used));
      socket.end(`HTTP/1.1 ${refusal?.status ?? 401} No\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    sessions.delete(credential);
    upgrades.handleUpgrade(request, socket, head, (accepted) => {
      sockets.add(accepted);
      service.streams.push(serveStream(accepted, session, service.scripts.shift() ?? service.script));
    });
  });
  return service;
}

interface NewSession {
  id: string;
  credential: string;
  url: string;
  model: string;
  seconds: number;
  remaining: number;
}

function sessionBody({ id, credential, url, model, seconds, remaining }: NewSession): object {
  return {
    id,
    object: 'asr.session',
    status: 'reserved',
    model,
    websocket_url: url,
    websocket_protocols: ['svc.realtime.v1', credential],
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    audio: {
      encoding: 'pcm_s16le',
      sample_rate_hz: AUDIO.sampleRateHz,
      channels: 1,
      max_audio_seconds: seconds,
      context_size: [...AUDIO.defaultContext],
    },
    credits: { unit: 'audio_second', reserved: seconds, remaining },
  };
}

function errorOf({ code, message }: { code: string; message: string }): object {
  return errorBody(code, message);
}

function errorBody(code: string, message: string): object {
  return { error: { type: 't', code, message, request_id: 'r-1' } };
}
