import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@svc-asr/runtime';
import { serveArtifact } from '../testing/artifact-server.ts';
import type { ArtifactServer } from '../testing/artifact-server.ts';
import { packGzip } from '../testing/tar.ts';
import type { Credentials } from './credentials.ts';
import { fetchArtifact } from './fetch.ts';
import type { FetchOptions } from './fetch.ts';

/** Random bytes. They do not compress, so the archive is large enough that its transfer can be interrupted. */
const WEIGHTS = createHash('shake256', { outputLength: 200_000 }).update('weights').digest();
const MODEL = packGzip([
  { path: 'kikuyu/', type: '5' },
  { path: 'kikuyu/manifest.json', content: '{"name":"kikuyu"}' },
  { path: 'kikuyu/model.onnx', content: WEIGHTS },
]);
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const SECRET = 'correct-horse-battery';

let folder: string;
let server: ArtifactServer;
let log: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-artifact-'));
  server = await serveArtifact(MODEL);
  log = '';
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function options(changes: Partial<FetchOptions> = {}, credentials: Partial<Credentials> = {}): FetchOptions {
  return {
    source: {
      url: new URL(`${server.url}/models/kikuyu.tar.gz?signature=${SECRET}`),
      credentials: { header: undefined, ca: server.certificate.cert, ...credentials },
      stallMs: 10_000,
    },
    sha256: sha256Of(server.archive),
    folder,
    maxBytes: 10_000_000,
    unpacked: { maxBytes: 10_000_000, maxFiles: 100 },
    tries: 3,
    retry: { baseMs: 10, maxMs: 50 },
    lock: { owner: 'a', renewMs: 100, staleMs: 5000, pollMs: 20 },
    logger: createLogger('worker', 'debug', { write: (line) => void (log += line) }),
    ...changes,
  };
}
const fetch = (changes: Partial<FetchOptions> = {}, credentials: Partial<Credentials> = {}) =>
  fetchArtifact(options(changes, credentials));
const serve = (archive: Buffer) => (server.archive = archive);
const left = () => readdirSync(folder).filter((name) => name !== sha256Of(server.archive));

function expectModel(target: string): void {
  expect(target).toBe(join(folder, sha256Of(server.archive)));
  expect(readFileSync(join(target, 'manifest.json'), 'utf8')).toBe('{"name":"kikuyu"}');
  expect(readFileSync(join(target, 'model.onnx')).equals(WEIGHTS)).toBe(true);
  expect(left()).toEqual([]);
}

test('fetchArtifact downloads, verifies and unpacks a model, and does not download it again', async () => {
  expectModel(await fetch());
  expectModel(await fetch());
  expect(server.requests).toHaveLength(1);
  expect(log).toContain('/models/kikuyu.tar.gz');
  expect(log).not.toContain(SECRET);
});

test('fetchArtifact accepts a model at the root of the archive, and refuses one that is two folders deep', async () => {
  serve(packGzip([{ path: './manifest.json', content: '{}' }]));
  expect(readFileSync(join(await fetch(), 'manifest.json'), 'utf8')).toBe('{}');
  serve(packGzip([{ path: 'a/b/manifest.json', content: '{}' }]));
  await expect(fetch()).rejects.toThrow('no manifest.json');
});

test('fetchArtifact continues an interrupted transfer', async () => {
  server.cuts = [50_000, 60_000];
  expectModel(await fetch());
  expect(server.requests.map(({ headers }) => headers.range)).toEqual([
    undefined,
    expect.stringMatching(/^bytes=[1-9]\d*-$/),
    expect.stringMatching(/^bytes=[1-9]\d*-$/),
  ]);
  expect(server.requests[1]?.headers['if-range']).toBe('"1"');
});

test('fetchArtifact continues the download of an earlier process, and starts over if the server ignores ranges', async () => {
  const part = join(folder, `.${sha256Of(MODEL)}.part`);
  writeFileSync(part, MODEL.subarray(0, 70_000));
  expectModel(await fetch());
  expect(server.requests[0]?.headers.range).toBe('bytes=70000-');
  rmSync(join(folder, sha256Of(MODEL)), { recursive: true });
  writeFileSync(part, MODEL.subarray(0, 70_000));
  server.ranges = false;
  expectModel(await fetch());
});

test('fetchArtifact reuses a complete earlier download and discards one with a wrong checksum', async () => {
  const part = join(folder, `.${sha256Of(MODEL)}.part`);
  writeFileSync(part, MODEL);
  expectModel(await fetch());
  expect(server.requests).toHaveLength(1);
  for (const junk of [Buffer.alloc(70_000, 1), Buffer.alloc(MODEL.length, 1), Buffer.alloc(MODEL.length + 1, 1)]) {
    rmSync(join(folder, sha256Of(MODEL)), { recursive: true });
    writeFileSync(part, junk);
    expectModel(await fetch());
  }
});

test('fetchArtifact refuses an artifact with a wrong checksum and removes it', async () => {
  await expect(fetch({ sha256: '0'.repeat(64) })).rejects.toThrow(
    `the sha256 of the artifact is ${sha256Of(MODEL)}, but spec.artifact.sha256 is ${'0'.repeat(64)}`,
  );
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['leads out of it', [{ path: 'kikuyu/../../evil', content: 'x' }]],
  ['leads out of it', [{ path: '/tmp/evil', content: 'x' }]],
  ['has a link', [{ path: 'kikuyu/a', type: '2', target: '/' }]],
  ['EEXIST', [{ path: 'a' }, { path: './a' }]],
])('fetchArtifact refuses to unpack an unsafe archive with the error "%s"', async (why, entries) => {
  serve(packGzip([{ path: 'manifest.json', content: '{}' }, ...entries]));
  await expect(fetch()).rejects.toThrow(why);
  expect(existsSync(join(folder, '../evil'))).toBe(false);
  expect(left().filter((name) => !name.endsWith('.part'))).toEqual([]);
});

test('fetchArtifact limits the download size, the unpacked size and the number of files, and refuses data that is not an archive', async () => {
  await expect(fetch({ maxBytes: 1000 })).rejects.toThrow('ARTIFACT_MAX_MIB');
  await expect(fetch({ unpacked: { maxBytes: 100_000, maxFiles: 100 } })).rejects.toThrow('ARTIFACT_MAX_UNPACKED_MIB');
  await expect(fetch({ unpacked: { maxBytes: 1e9, maxFiles: 2 } })).rejects.toThrow('ARTIFACT_MAX_FILES');
  server.instead = [(_, response) => response.writeHead(200).end(MODEL)];
  rmSync(join(folder, `.${sha256Of(MODEL)}.part`));
  await expect(fetch({ maxBytes: 1000 })).rejects.toThrow('ARTIFACT_MAX_MIB');
  serve(Buffer.from('not an archive'));
  await expect(fetch()).rejects.toThrow('not a .tar.gz');
});

test('fetchArtifact retries temporary errors up to the limit and fails at once on permanent ones', async () => {
  const answer =
    (status: number): ArtifactServer['instead'][number] =>
    (_, response) =>
      response.writeHead(status).end();
  server.instead = [answer(503), answer(429)];
  expectModel(await fetch());
  expect(server.requests).toHaveLength(3);
  rmSync(join(folder, sha256Of(MODEL)), { recursive: true });
  server.instead = [answer(500), answer(502), answer(503)];
  await expect(fetch()).rejects.toThrow('answered 503');
  server.instead = [answer(403)];
  await expect(fetch()).rejects.toThrow('answered 403: check the Secret in spec.artifact.secretRef');
  server.instead = [answer(404)];
  await expect(fetch()).rejects.toThrow('answered 404: check spec.artifact.url');
});

test('fetchArtifact retries when the server stops sending data', async () => {
  server.instead = [
    (_, response) => {
      response.writeHead(200, { 'content-length': MODEL.length });
      response.write(MODEL.subarray(0, 1000));
    },
  ];
  const { source } = options();
  expectModel(await fetch({ source: { ...source, stallMs: 300 } }));
  expect(server.requests[1]?.headers.range).toBe('bytes=1000-');
});

/**
 * Server that blocks its process after it has started to listen. It accepts no connection, and its queue of connections
 * has two places.
 */
const BLOCKED_SERVER = `
  require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    require('node:fs').writeSync(1, String(this.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

test('fetchArtifact fails if it cannot connect within the time limit', async () => {
  const child = spawn(process.execPath, ['-e', BLOCKED_SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(text);
  const fillers = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  try {
    await Promise.all(fillers.slice(0, 2).map((socket) => once(socket, 'connect')));
    const source = { ...options().source, url: new URL(`https://127.0.0.1:${port}/a.tar.gz`), stallMs: 300 };
    await expect(fetch({ source, tries: 1 })).rejects.toThrow('no data received for 300 ms');
  } finally {
    for (const socket of fillers) socket.destroy();
    child.kill('SIGKILL');
  }
});

test('fetchArtifact sends its credentials only to the origin of the URL', async () => {
  const other = await serveArtifact(MODEL, server.certificate);
  try {
    const header = ['authorization', `Bearer ${SECRET}`] as const;
    server.instead = [
      (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      (_, response) => response.writeHead(307, { location: `${other.url}/blob` }).end(),
    ];
    expectModel(await fetch({}, { header }));
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([header[1], header[1]]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(log).not.toContain(SECRET);
  } finally {
    await other.stop();
  }
});

test('fetchArtifact refuses redirects to http, too many redirects and an unknown CA', async () => {
  const to =
    (location: string): ArtifactServer['instead'][number] =>
    (_, response) =>
      response.writeHead(302, { location }).end();
  server.instead = [to('http://127.0.0.1/')];
  await expect(fetch()).rejects.toThrow('not https');
  server.instead = Array.from({ length: 10 }, () => to('/again'));
  await expect(fetch()).rejects.toThrow('redirects more than');
  server.instead = [];
  await expect(fetch({}, { ca: undefined })).rejects.toThrow('cannot be reached');
});

test('if two lock owners fetch the same artifact at the same time, fetchArtifact downloads it only once and both get the model', async () => {
  server.cuts = [100_000];
  const targets = await Promise.all([
    fetch({ lock: { owner: 'a', renewMs: 50, staleMs: 20_000, pollMs: 10 } }),
    fetch({ lock: { owner: 'b', renewMs: 50, staleMs: 20_000, pollMs: 10 } }),
  ]);
  for (const target of targets) expectModel(target);
  // Only one process downloaded the artifact. Its transfer was interrupted once, so there were two requests.
  expect(server.requests).toHaveLength(2);
  expect(log).toContain('waiting for the artifact');
});

test('fetchArtifact takes over its own earlier lock at once, and the lock of another owner after staleMs', async () => {
  const lock = join(folder, `.${sha256Of(MODEL)}.lock`);
  writeFileSync(lock, 'a 7');
  expectModel(await fetch({ lock: { owner: 'a', renewMs: 1000, staleMs: 600_000, pollMs: 10 } }));
  rmSync(join(folder, sha256Of(MODEL)), { recursive: true });
  writeFileSync(lock, 'dead 7');
  expectModel(await fetch({ lock: { owner: 'a', renewMs: 1000, staleMs: 300, pollMs: 10 } }));
});
