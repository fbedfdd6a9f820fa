import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { createCertificate } from '../../../test/support/certificate.ts';
import { runCommand } from './testing/command.ts';

const KEY = `svc_live_v1_0123456789_${'a'.repeat(38)}`;
const TOKEN = 'an-admin-token-that-stays-secret';
const MODELS = [
  { id: 'svc-asr-kikuyu-v1', language: 'Kikuyu', language_code: 'ki', max_audio_seconds: 300 },
  { id: 'svc-asr-dholuo-v1', language: 'Dholuo', language_code: 'luo', max_audio_seconds: 300 },
];
const SESSION = {
  id: '6f1c0000-0000-4000-8000-000000000000',
  model: 'svc-asr-kikuyu-v1',
  status: 'completed',
  audio_ms: 1500,
  billable_ms: 2000,
  created_at: '2026-01-01T00:00:00.000Z',
  completed_at: null,
};
const BALANCE = { available_ms: 3_598_000, reserved_ms: 0, consumed_ms: 2000, recent_sessions: [SESSION] };

let server: Server;
let home: string;
let caFile: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let seen: IncomingMessage[];

beforeAll(async () => {
  home = temporaryFolder('command');
  const { cert, key } = await createCertificate();
  caFile = join(home, 'ca.pem');
  writeFileSync(caFile, cert);
  server = createServer({ cert, key }, (request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => {
  seen = [];
  answer = (request, response) => {
    if (request.url === '/v1/models') response.end(JSON.stringify({ object: 'list', data: MODELS }));
    else if (request.url === '/v1/usage') response.end(JSON.stringify(BALANCE));
    else response.writeHead(404).end();
  };
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const url = () => `https://localhost:${(server.address() as AddressInfo).port}`;
const environment = () => ({
  SVC_ASR_HOME: join(home, 'none'),
  SVC_ASR_BASE_URL: url(),
  SVC_ASR_ADMIN_URL: url(),
  SVC_ASR_CA_FILE: caFile,
  SVC_ASR_API_KEY: KEY,
  SVC_ASR_ADMIN_TOKEN: TOKEN,
});
const run = (...line: string[]) => runCommand(line, environment());

test('svc-asr models prints a table, or JSON with --json', async () => {
  expect(await run('models')).toEqual({
    status: 0,
    out: 'MODEL              LANGUAGE  CODE  MAX AUDIO\nsvc-asr-kikuyu-v1  Kikuyu    ki    5m 0s\nsvc-asr-dholuo-v1  Dholuo    luo   5m 0s\n',
    err: '',
  });
  const { out } = await run('models', '--json');
  expect(JSON.parse(out)).toEqual({ object: 'list', data: MODELS });
  expect(seen[0]?.headers.authorization).toBeUndefined();
});

test('svc-asr usage prints credit and sessions in hours, minutes and seconds', async () => {
  const { status, out } = await run('usage');
  expect(status).toBe(0);
  expect(out.split('\n').slice(0, 2)).toEqual(['AVAILABLE  RESERVED  CONSUMED', '59m 58s    0s        2s']);
  expect(out).toMatch(
    /SESSION {31}STATUS {5}CHARGED {2}CREATED \(UTC\)\n6f1c0000\S+ {2}completed {2}2s {7}2026-01-01 00:00:00\n/,
  );
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
});

test('svc-asr reads address, key and CA file from local.json', async () => {
  const folder = temporaryFolder('home');
  const local = { base_url: url(), ca_file: caFile, api_key: KEY };
  writeFileSync(join(folder, 'local.json'), JSON.stringify(local));
  expect((await runCommand(['usage', '--json'], { SVC_ASR_HOME: folder })).status).toBe(0);
});

test('svc-asr --profile sends the key of the profile, and never a key from the environment', async () => {
  const config = temporaryFolder('config');
  mkdirSync(join(config, 'svc-asr'));
  const withKey = { base_url: url(), ca_file: caFile, api_key: 'profile-key' };
  const withoutKey = { base_url: url(), ca_file: caFile };
  const content = JSON.stringify({ profiles: { one: withKey, two: withoutKey } });
  writeFileSync(join(config, 'svc-asr', 'config.json'), content, { mode: 0o600 });
  const env = { ...environment(), SVC_ASR_BASE_URL: 'https://unused.invalid', XDG_CONFIG_HOME: config };
  expect((await runCommand(['usage', '--profile', 'one'], env)).status).toBe(0);
  expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer profile-key']);
  const refused = await runCommand(['usage', '--profile', 'two'], env);
  expect([refused.status, refused.err]).toEqual([2, expect.stringContaining('api_key of the profile')]);
  const selected = { SVC_ASR_PROFILE: 'one', XDG_CONFIG_HOME: config };
  expect((await runCommand(['usage'], selected)).status).toBe(0);
  expect(seen).toHaveLength(2);
});

test('svc-asr exits with 1 and prints error code and request id if the service refuses', async () => {
  const error = { type: 'authentication_error', code: 'revoked_api_key', message: 'Revoked.', request_id: 'r-1' };
  answer = (_request, response) => response.writeHead(401).end(JSON.stringify({ error }));
  expect(await run('usage')).toEqual({
    status: 1,
    out: '',
    err: 'svc-asr: Revoked. (revoked_api_key, request r-1)\n',
  });
  const { err } = await run('usage', '--json');
  expect(JSON.parse(err)).toEqual({
    error: {
      code: 'revoked_api_key',
      message: 'Revoked. (revoked_api_key, request r-1)',
      exit_status: 1,
      type: 'authentication_error',
      http_status: 401,
      request_id: 'r-1',
    },
  });
});

test('after a 429, svc-asr waits for the time that Retry-After specifies, and reports the wait', async () => {
  const error = { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Too many.', request_id: 'r-1' };
  answer = (_request, response) => {
    if (seen.length > 1) response.end(JSON.stringify(BALANCE));
    else response.writeHead(429, { 'retry-after': '1' }).end(JSON.stringify({ error }));
  };
  const { status, err } = await run('usage');
  expect(status).toBe(0);
  expect(err).toMatch(/^Too many\. \(rate_limit_exceeded\)\nWaiting up to [12] s\.\n$/);
});

test('svc-asr exits with 3 and prints a hint if the service is unreachable or its CA is unknown', async () => {
  const unreachable = await run('models', '--base-url', 'https://127.0.0.1:1');
  expect([unreachable.status, unreachable.out]).toEqual([3, '']);
  expect(unreachable.err).toContain('npm start');
  const unknown = await runCommand(['models'], { ...environment(), SVC_ASR_CA_FILE: '' });
  expect(unknown.status).toBe(3);
  expect(unknown.err).toContain('--ca FILE');
});

test.each([
  ['does not exist', undefined, 'cannot read the CA certificate FILE: ENOENT. '],
  ['contains no certificate', 'no certificate', 'the CA file FILE contains no certificate in PEM format. '],
])('svc-asr exits at once with one message if the CA file %s', async (_name, text, message) => {
  const file = join(home, 'other-ca.pem');
  if (text !== undefined) writeFileSync(file, text);
  const err = `svc-asr: ${message.replace('FILE', file)}Check --ca or SVC_ASR_CA_FILE.\n`;
  expect(await run('models', '--ca', file)).toEqual({ status: 2, out: '', err });
});

test('svc-asr prints no secret after an unexpected response', async () => {
  answer = (_request, response) => response.writeHead(500).end('<html>oops');
  const ended = [
    await run('usage'),
    await run('admin', 'keys', 'list'),
    await run('admin', 'tenants', 'list', '--json'),
  ];
  for (const { status, out, err } of ended) {
    expect(status).toBe(1);
    expect(out + err).not.toMatch(/aaaaaaaa|stays-secret/);
  }
});

test('svc-asr admin journal export --output writes a file with mode 0600 and prints the number of entries', async () => {
  const lines = Array.from({ length: 5000 }, (_, n) => `${JSON.stringify({ id: `${n}-0`, text: 'x'.repeat(100) })}\n`);
  answer = (_request, response) => response.end(lines.join(''));
  const file = join(home, 'journal.ndjson');
  const { status, err } = await run('admin', 'journal', 'export', '--tenant', 'a b', '--output', file);
  expect([status, err]).toEqual([0, `Wrote 5000 entries to ${file}.\n`]);
  expect(readFileSync(file, 'utf8')).toBe(lines.join(''));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(seen[0]?.url).toBe('/admin/v1/tenants/a%20b/journal');
  expect((await run('admin', 'journal', 'export', '--tenant', 'a')).out).toBe(lines.join(''));
});

test('svc-asr admin journal export exits with 3 and leaves no file if the response ends early', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"id":"1-0"}\n', () => response.destroy());
  };
  const file = join(home, 'broken.ndjson');
  const { status, err } = await run('admin', 'journal', 'export', '--tenant', 'a', '--output', file);
  expect(status).toBe(3);
  expect(err).toContain('ended early');
  expect(readdirSync(home).filter((name) => name.includes('broken'))).toEqual([]);
});

test('svc-asr admin journal export exits with 2 if the file cannot be written', async () => {
  const { status, err } = await run('admin', 'journal', 'export', '--tenant', 'a', '--output', join(home, 'no', 'x'));
  expect([status, err]).toEqual([1, 'svc-asr: the service responded with HTTP 404 (unexpected_response)\n']);
  answer = (_request, response) => response.end('{}\n');
  const unwritable = await run('admin', 'journal', 'export', '--tenant', 'a', '--output', join(home, 'no', 'x'));
  expect(unwritable.status).toBe(2);
  expect(unwritable.err).toContain('cannot write');
});

const PURGED = { object: 'purge', tenant: 'acme', live_sessions: 0, unreadable: [], removed: { account_keys: 5 } };

test('svc-asr admin tenants purge --yes exits with 6 if data of the tenant remains, and with 0 if no data remains', async () => {
  let left = 1;
  answer = (_request, response) => {
    response.end(JSON.stringify({ ...PURGED, remaining: { account_keys: left }, complete: left === 0 }));
  };
  const incomplete = await run('admin', 'tenants', 'purge', 'acme', '--yes');
  expect([incomplete.status, incomplete.out]).toEqual([6, expect.stringMatching(/account keys +5 +1\n/)]);
  expect(incomplete.err).toContain('may be left');
  expect(incomplete.out).not.toContain('Nothing of acme is left');
  expect((await run('admin', 'tenants', 'purge', 'acme', '--yes', '--json')).status).toBe(6);
  left = 0;
  const complete = await run('admin', 'tenants', 'purge', 'acme', '--yes');
  expect([complete.status, complete.out]).toEqual([0, expect.stringContaining('Nothing of acme is left')]);
});
