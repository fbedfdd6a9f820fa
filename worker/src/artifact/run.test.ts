import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts';
import { programFile } from '../../../test/support/programs.ts';
import { serveArtifact } from '../testing/artifact-server.ts';
import type { ArtifactServer } from '../testing/artifact-server.ts';
import { packGzip } from '../testing/tar.ts';

const MODEL = packGzip([{ path: 'm/manifest.json', content: '{}' }]);
const SHA256 = createHash('sha256').update(MODEL).digest('hex');
const PASSWORD = 'correct-horse-battery';

let folder: string;
let server: ArtifactServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-fetch-'));
  server = await serveArtifact(MODEL);
  mkdirSync(join(folder, 'secret'));
  const files = { username: 'me', password: PASSWORD, 'ca.crt': server.certificate.cert };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'secret', name), text);
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Runs the program in the same way as the container of a worker pod. */
async function run(env: NodeJS.ProcessEnv = {}): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ['--no-warnings', programFile('worker'), 'fetch-artifact'], {
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      ARTIFACT_URL: `${server.url}/m.tar.gz`,
      ARTIFACT_SHA256: SHA256,
      ARTIFACT_FOLDER: join(folder, 'artifacts'),
      ARTIFACT_CREDENTIALS_FOLDER: join(folder, 'secret'),
      ARTIFACT_RETRY_BASE_MS: '10',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}

test('fetch-artifact downloads a model that requires credentials into ARTIFACT_FOLDER and exits with 0', async () => {
  const { status, output } = await run();
  expect(output).toContain('the artifact is available');
  expect(status).toBe(0);
  expect(existsSync(join(folder, 'artifacts', SHA256, 'manifest.json'))).toBe(true);
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`);
  expect(output).not.toContain(PASSWORD);
});

test.each([
  [{ ARTIFACT_SHA256: '0'.repeat(64) }, 1, 'but spec.artifact.sha256 is'],
  [{ ARTIFACT_URL: 'https://me:correct-horse-battery@127.0.0.1/m' }, 1, 'put them into a Secret'],
  [{ ARTIFACT_URL: 'http://127.0.0.1/m' }, 2, 'ARTIFACT_URL'],
])('fetch-artifact with %j exits with an error and logs the reason', async (env, expected, why) => {
  const { status, output } = await run(env);
  expect(output.trim().split('\n').at(-1)).toContain(why);
  expect(status).toBe(expected);
  expect(output).not.toContain(PASSWORD);
});
