import { createHash } from 'node:crypto';
import { request } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { renderDocuments } from '@svc-asr/api-docs';
import { ApiError } from '@svc-asr/core';
import type { ErrorRequestHandler } from 'express';
import express from 'express';
import { openExchange } from '../http/exchange.ts';
import { documentsRouter } from './router.ts';
import { buildStartPage } from './start-page.ts';

const documents = renderDocuments();
const addresses = {
  publicUrl: 'https://asr.example.com',
  consoleUrl: 'https://console.example.com/?a&b',
  caFile: '',
};
const writeError: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof ApiError) response.status(error.status).set(error.headers).json(error.body('id'));
  else next(error);
};

let server: Server;
let address: string;

beforeAll(async () => {
  const app = express().set('etag', false).use(openExchange, documentsRouter(documents, addresses)).use(writeError);
  await new Promise<void>((resolve) => (server = app.listen(0, '127.0.0.1', () => resolve())));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(address + path, { method, headers });

test('the gateway serves the OpenAPI and AsyncAPI documents that the build rendered', async () => {
  const [openApi, asyncApi] = await Promise.all([get('/openapi.json'), get('/asyncapi.json')]);
  expect(await openApi.json()).toEqual(JSON.parse(documents['openapi.json']));
  expect(await asyncApi.json()).toEqual(JSON.parse(documents['asyncapi.json']));
});

test.each([
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/asyncapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
])('%s has headers that allow caching for five minutes and reading from other origins', async (path, type) => {
  const { status, headers } = await get(path);
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': type,
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  });
});

test.each(['br', 'gzip', 'identity'])(
  '/docs in encoding %s has the same text as without encoding, and an ETag of its own',
  async (encoding) => {
    const plain = await (await get('/docs', { 'accept-encoding': 'identity' })).text();
    const answer = await get('/docs', { 'accept-encoding': encoding });
    expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    expect(answer.headers.get('etag')).toMatch(new RegExp(`^"[\\w-]{22}-${encoding}"$`));
    expect(await answer.text()).toBe(plain);
  },
);

// This does not use fetch, which adds `Cache-Control: no-cache` to a request with If-None-Match. With that header, the
// server sends the whole document even if the ETag matches.
function conditional(path: string, etag: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(address + path, { headers: { 'if-none-match': etag } }, (answer) => resolve(answer.resume()))
      .on('error', reject)
      .end();
  });
}

test('/openapi.json responds with 304 and the cache headers if the ETag matches', async () => {
  const etag = (await get('/openapi.json', { 'accept-encoding': 'identity' })).headers.get('etag')!;
  const again = await conditional('/openapi.json', etag);
  expect(again.statusCode).toBe(304);
  expect(again.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' });
  expect((await conditional('/openapi.json', '"other"')).statusCode).toBe(200);
});

test('HEAD /docs returns no body', async () => {
  const answer = await get('/docs', {}, 'HEAD');
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])(
  '%s /openapi.json is refused with 405, and the response lists the allowed methods',
  async (method) => {
    const answer = await get('/openapi.json', {}, method);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
    expect(await answer.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
  },
);

test.each(['/docs/', '/Docs', '/openapi.json/x'])('GET %s returns 404', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('the Content-Security-Policy of /docs allows only the inline script and the inline style of that page', async () => {
  const answer = await get('/docs');
  const text = await answer.text();
  const policy = answer.headers.get('content-security-policy')!;
  for (const [element, directive] of [
    ['script', 'script-src'],
    ['style', 'style-src'],
  ] as const) {
    const [, source] = new RegExp(`<${element}>(.*)</${element}>`, 's').exec(text)!;
    const hash = createHash('sha256').update(source!).digest('base64');
    expect(policy).toContain(`${directive} 'sha256-${hash}'`);
  }
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
});

test('GET / by a browser returns a page with links to the documentation and the console', async () => {
  const answer = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const text = await answer.text();
  expect(text).toContain('<a href="docs">');
  expect(text).toContain('<a href="https://console.example.com/?a&amp;b">Console</a>');
  const [, style] = /<style>(.*)<\/style>/s.exec(text)!;
  const hash = createHash('sha256').update(style!).digest('base64');
  expect(answer.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
});

test('GET / without text/html in Accept returns 404, and the start page has no console link if no console URL is set', async () => {
  expect((await get('/', { accept: '*/*' })).status).toBe(404);
  expect(buildStartPage('')).not.toContain('Console');
});
