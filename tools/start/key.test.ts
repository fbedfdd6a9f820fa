import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createKey, keyExists } from './key.ts';
import { waitUntil } from './ready.ts';

const LAST = `svc_live_v1_8fK2pQ9xLm_${'a'.repeat(38)}`;
let server: Server;
let asked: string[];
let existing: string[];
let url: string;

beforeEach(async () => {
  asked = [];
  existing = [];
  server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    if (request.headers.authorization !== 'Bearer token') response.statusCode = 401;
    if (response.statusCode === 401) response.end('{"error": {"message": "The admin token is wrong."}}');
    else if (request.method === 'POST') response.end('{"key": "svc_live_v1_new", "key_id": "new"}');
    else response.end(JSON.stringify({ data: existing.map((id) => ({ key_id: id })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => server.close());

test('keyExists is true while the admin API lists the id of the key', async () => {
  existing = ['other', '8fK2pQ9xLm'];
  await expect(keyExists({ url, token: 'token' }, LAST)).resolves.toBe(true);
  existing = ['other'];
  await expect(keyExists({ url, token: 'token' }, LAST)).resolves.toBe(false);
  expect(asked).toContain('GET /admin/v1/keys?tenant=local Bearer token');
});

test('createKey creates a key through the admin API', async () => {
  await expect(createKey({ url, token: 'token' })).resolves.toBe('svc_live_v1_new');
  expect(asked).toEqual(['POST /admin/v1/keys Bearer token']);
});

test('createKey reports the error of the admin API without the token', async () => {
  await expect(createKey({ url, token: 'a-wrong-token' })).rejects.toThrow(
    /^POST \/admin\/v1\/keys answered 401: The admin token is wrong\.$/,
  );
});

test('waitUntil rejects on timeout with the last result of the check, and rejects when its signal is aborted', async () => {
  const missing = () => Promise.resolve('Redis does not answer');
  const stop = new AbortController();
  await expect(waitUntil('the gateway', missing, 10, stop.signal)).rejects.toThrow(
    'timed out after 0 s while waiting for the gateway: Redis does not answer',
  );
  const waiting = waitUntil('the gateway', missing, 60_000, stop.signal);
  stop.abort();
  await expect(waiting).rejects.toThrow(/abort/i);
});
