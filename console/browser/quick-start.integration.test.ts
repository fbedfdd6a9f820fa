import { execFile, spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killAfterFile } from '../../test/support/leftovers.ts';
import { freePort } from '../../test/support/ports.ts';
import { modelFolder } from '../../test/support/recording.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../../test/support/service.ts';
import type { Service } from '../../test/support/service.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { checkPage, errorsOf, startBrowser } from './testing/browser.ts';
import type { Page, TestBrowser } from './testing/browser.ts';

const MODEL = 'svc-asr-kikuyu-v1';
const RECORDING = `${modelFolder(MODEL)}/eval/ki_espeak_002`;
const run = promisify(execFile);

let service: Service;
let browser: TestBrowser;
let page: Page;
let key: string;
/** Folder in which the tests run the examples, like a user who pastes them into a shell. */
let folder: string;

beforeAll(async () => {
  const microphone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
  [service, browser] = await Promise.all([
    startService(),
    startBrowser([...microphone, `--use-file-for-fake-audio-capture=${RECORDING}.wav%noloop`]),
  ]);
  const tenant = await service.tenant({ seconds: 600, models: [MODEL] });
  ({ key } = tenant);
  const link = await service.admin.call('POST', `/tenants/${tenant.name}/sign-in`);
  const { path } = link.body as { path: string };
  const ports = JSON.parse(readFileSync(join(service.home, 'ports.json'), 'utf8')) as { console: number };
  page = await browser.signIn(`https://localhost:${ports.console}${path}`, { ignoreHTTPSErrors: true });
  await page.getByRole('link', { name: 'Quick start', exact: true }).click();
  folder = temporaryFolder('quick-start');
  copyFileSync(`${RECORDING}.wav`, join(folder, 'speech.wav'));
}, START_TIMEOUT_MS);

afterAll(async () => {
  await browser.close();
  await stopServices();
}, START_TIMEOUT_MS);

/** Selects a language, and returns the command and the file of its example. */
async function exampleOf(language: string): Promise<{ file: string; command: string }> {
  await page.getByRole('tab', { name: language }).click();
  const panel = page.getByRole('tabpanel', { name: language });
  const texts = await panel.locator('pre').allInnerTexts();
  await checkPage(page);
  return { file: texts.length > 1 ? (texts[0] ?? '') : '', command: texts.at(-1) ?? '' };
}

/** Runs a command in `folder`, like a user who pastes it into a shell, and returns its output. */
async function paste(command: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: folder, SVC_ASR_API_KEY: key };
  return (await run('bash', ['-c', command], { cwd: folder, env })).stdout;
}

/** Words of the recording that the model recognizes. Other tests measure its accuracy. */
const WORDS = 'ũgendi wa thĩ';

test('the command that sets the API key prompts for the key and exports it', async () => {
  const command = await page.getByRole('region', { name: 'Command that sets the key' }).innerText();
  const shell = spawn('bash', ['-c', `${command}; printenv SVC_ASR_API_KEY`], { stdio: ['pipe', 'pipe', 'inherit'] });
  killAfterFile(shell);
  let output = '';
  shell.stdout.on('data', (data: Buffer) => (output += data.toString()));
  shell.stdin.end('secret\n');
  await new Promise((resolve) => shell.once('close', resolve));
  expect(output).toBe('API key: \nsecret\n');
});

test('the examples for curl, Python and Node.js run as they are pasted, and return the text of the recording', async () => {
  const { command: curl } = await exampleOf('curl');
  expect((JSON.parse(await paste(curl)) as { text: string }).text).toContain(WORDS);

  const python = await exampleOf('Python');
  writeFileSync(join(folder, 'transcribe.py'), python.file);
  expect(await paste(python.command)).toContain(WORDS);

  const node = await exampleOf('Node.js');
  writeFileSync(join(folder, 'stream.mjs'), node.file);
  const output = await paste(node.command);
  expect(output).toMatch(new RegExp(`^Final: .*${WORDS}`, 'm'));
  expect(output).toContain('Closed with 1000');
});

test('the page of the browser example streams microphone audio to a session that the server of the example creates', async () => {
  const { file, command } = await exampleOf('Browser');
  const port = await freePort();
  expect(file).toContain('listen(3000,');
  writeFileSync(join(folder, 'server.mjs'), file.replace('listen(3000,', `listen(${port},`));
  const env = { PATH: process.env.PATH, SVC_ASR_API_KEY: key };
  const server = spawn('bash', ['-c', `exec env ${command}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killAfterFile(server);
  await new Promise((resolve) => server.stdout.once('data', resolve));
  const dictation = await browser.open(`http://localhost:${port}/`, {
    ignoreHTTPSErrors: true,
    permissions: ['microphone'],
  });
  await dictation.getByRole('button', { name: 'Start' }).click();
  await dictation.getByText(WORDS).waitFor();
  await dictation.getByRole('button', { name: 'Stop' }).click();
  expect(await dictation.content()).not.toContain(key);
  expect(errorsOf(page)).toEqual([]);
});
