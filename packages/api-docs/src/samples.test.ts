import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startTestService, TEST_KEY } from '../../../test/support/scripted-service/service.ts';
import type { TestService } from '../../../test/support/scripted-service/service.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { EXAMPLE_URL } from './openapi/examples.ts';

const run = promisify(execFile);
const SAMPLES = fileURLToPath(new URL('../samples/', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

let service: TestService;
let folder: string;
let env: NodeJS.ProcessEnv;

/** Copies the samples to a folder, as a user does, and sets the address of the test service. */
beforeAll(async () => {
  service = await startTestService({ isPlain: true });
  folder = temporaryFolder('samples');
  cpSync(SAMPLES, folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(EXAMPLE_URL, service.url));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  mkdirSync(join(folder, 'bin'));
  // Fake programs, because a machine may lack the real ones. `ffmpeg` writes two seconds of silence for every file, and
  // `curl` prints its arguments.
  writeProgram('ffmpeg', 'head -c 64000 /dev/zero');
  writeProgram('curl', 'printf "%s\\n" "$@"');
  env = { PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter), SVC_ASR_API_KEY: TEST_KEY };
});
afterAll(() => service.close());

function writeProgram(name: string, line: string): void {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

const node = async (...args: string[]) => (await run(process.execPath, args, { cwd: folder, env })).stdout;

test('list-models.mjs prints the model ids', async () => {
  expect(await node('list-models.mjs')).toContain('svc-asr-kikuyu-v1');
});

test('create-session.mjs creates a session', async () => {
  const program =
    "import { createSession } from './create-session.mjs'; console.log((await createSession('m', 9)).status)";
  expect(await node('--input-type=module', '--eval', program)).toBe('reserved\n');
  expect(service.requests.at(-1)).toEqual({ model: 'm', max_audio_seconds: 9 });
});

test('create-session.mjs throws an error with the error code of a refused request', async () => {
  service.refusal = { status: 402, code: 'insufficient_credits', message: 'No credit.' };
  const program = "import { createSession } from './create-session.mjs'; await createSession('m', 9)";
  await expect(node('--input-type=module', '--eval', program)).rejects.toThrow('insufficient_credits (r-1)');
  service.refusal = undefined;
});

test('stream.mjs streams a file and prints its transcript', async () => {
  expect(await node('stream.mjs', 'talk.mp3')).toBe('\n32000 samples\n');
});

test.each(['list-models.sh', 'create-session.sh', 'transcribe-file.sh', 'get-usage.sh'])(
  '%s calls the API with curl and needs no other program',
  async (name) => {
    const { stdout, stderr } = await run('/bin/sh', [name], { cwd: folder, env: { PATH: join(folder, 'bin') } });
    expect(stderr).toBe('');
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^${service.url}/v1/`));
  },
);
