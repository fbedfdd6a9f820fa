import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { modelYaml } from '../../test/support/model.ts';
import type { TenantRequest } from '../../test/support/admin.ts';
import { modelFolder, recording } from '../../test/support/recording.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../../test/support/service.ts';
import type { Service } from '../../test/support/service.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { wordErrorRate, wordsOf } from '../../test/support/word-errors.ts';
import { checkPage, errorsOf, startBrowser } from './testing/browser.ts';
import type { Page, TestBrowser } from './testing/browser.ts';
import { drawVariants } from './testing/screenshots.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const FULL = 'svc-asr-full-v1';
const NAME = 'ki_espeak_053';
/**
 * Minimum number of the recording's 18 words in the transcript. The number is low because the browser can start to
 * capture in the middle of the recording.
 */
const MIN_WORDS = 3;
const FILE = join(modelFolder(KIKUYU), 'eval', `${NAME}.wav`);
const MAX_WORD_ERRORS = 50;

let service: Service;
let browser: TestBrowser;
let consoleUrl: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startService({ config: { 'full.yaml': modelYaml(FULL, { max: 0 }) } }),
    startBrowser(['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${FILE}%noloop`]),
  ]);
  const ports = JSON.parse(readFileSync(join(service.home, 'ports.json'), 'utf8')) as Record<string, number>;
  consoleUrl = `https://localhost:${ports.console}`;
}, START_TIMEOUT_MS);

afterAll(async () => {
  await browser.close();
  await stopServices();
}, START_TIMEOUT_MS);

/** Signs a new tenant in and opens the playground. */
async function openPlayground(request: TenantRequest = {}, permissions = ['microphone']) {
  const tenant = await service.tenant(request);
  const { body } = await service.admin.call('POST', `/tenants/${tenant.name}/link`);
  const { path } = body as { path: string };
  const page = await browser.signIn(`${consoleUrl}${path}`, { ignoreHTTPSErrors: true, permissions });
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
  await page.getByLabel('Model').selectOption(KIKUYU);
  return { page, ...tenant };
}

function transcriptOf(page: Page): Promise<string> {
  return page.getByRole('region', { name: 'Transcript' }).innerText();
}

test('the playground transcribes an audio file, and afterwards lets the user select a latency', async () => {
  const { page } = await openPlayground();
  await page.getByRole('combobox', { name: 'Audio' }).selectOption({ label: 'Audio file' });
  expect(await page.getByRole('button', { name: 'Transcribe file' }).isDisabled()).toBe(true);
  await page.getByLabel('Recording').setInputFiles(FILE);
  await page.getByRole('button', { name: 'Transcribe file' }).click();
  await page.getByText('Sending the recording.').waitFor();
  await page.getByRole('button', { name: 'Transcribe file' }).waitFor();
  expect(wordErrorRate([recording(NAME).text], [await transcriptOf(page)])).toBeLessThan(MAX_WORD_ERRORS);
  // The page offers latencies only after a worker has started and has reported the contexts of the model.
  await page.getByLabel('Latency').selectOption({ label: 'Text every 320 ms' });
  await checkPage(page);
});

test('the playground transcribes speech from the microphone, and shows the latency, the events and the session', async () => {
  const { page, name } = await openPlayground();
  await checkPage(page);
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.locator('.level .lit').first().waitFor();
  await page.locator('.transcript .partial').waitFor();
  await checkPage(page);
  const { pcm, text } = recording(NAME);
  await page.waitForTimeout(pcm.length / 32);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Start recording' }).waitFor();
  const spoken = new Set(wordsOf(text));
  expect(wordsOf(await transcriptOf(page)).filter((word) => spoken.has(word)).length).toBeGreaterThanOrEqual(MIN_WORDS);

  expect(await page.locator('dd', { hasText: /^(Typical )?\d.* m?s/ }).count()).toBe(2);
  const events = page.getByRole('list', { name: 'Protocol events' });
  for (const type of ['config', 'ready', 'config_ack', 'audio', 'delta', 'flush', 'final']) {
    await events
      .locator('summary code', { hasText: new RegExp(`^${type}$`) })
      .first()
      .waitFor();
  }
  expect(await events.innerText()).not.toContain('svc.auth');
  await checkPage(page);
  await drawVariants(page, 'playground');

  // The page of a session reads the session only once, so the session must be settled before the page opens. The
  // gateway settles a session a moment after its stream has closed.
  await eventually('the session is settled', 30_000, async () => {
    return (await service.admin.account(name)).live_sessions === 0;
  });
  await page.locator('a[href^="/sessions/"]').click();
  await page.getByText('Playground', { exact: true }).last().waitFor();
  await page.getByText('Closed by the client').waitFor();
  expect(errorsOf(page)).toEqual([]);
});

test('the playground shows a message for a file that contains no audio, and creates no session', async () => {
  const { page, name } = await openPlayground();
  await page.getByRole('combobox', { name: 'Audio' }).selectOption({ label: 'Audio file' });
  await page.getByLabel('Recording').setInputFiles({ name: 'a.wav', mimeType: 'audio/wav', buffer: Buffer.from('no') });
  await page.getByRole('button', { name: 'Transcribe file' }).click();
  await page.getByText('Your browser cannot decode this file.').waitFor();
  await checkPage(page);
  expect((await service.admin.account(name)).credits.reserved_ms).toBe(0);
});

test('the playground shows a message for a file that is too large, before it decodes the file', async () => {
  const { page } = await openPlayground();
  await page.getByRole('combobox', { name: 'Audio' }).selectOption({ label: 'Audio file' });
  const file = join(temporaryFolder('playground'), 'large.wav');
  writeFileSync(file, Buffer.alloc(20_000_001));
  await page.getByLabel('Recording').setInputFiles(file);
  await page.getByRole('button', { name: 'Transcribe file' }).click();
  await page.getByText('Choose a file of at most 20 MB.').waitFor();
  await checkPage(page);
});

test('if a recording is started without a network, the playground shows a message and has no script error', async () => {
  const { page } = await openPlayground();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.getByText('Cannot reach the console.').first().waitFor();
  await page.getByRole('button', { name: 'Start recording' }).waitFor();
  await page.context().setOffline(false);
  await checkPage(page);
  expect(errorsOf(page)).toEqual([]);
});

test('if the browser denies access to the microphone, the playground shows a message', async () => {
  const { page } = await openPlayground({}, []);
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.getByText('The microphone is not allowed.').waitFor();
  await checkPage(page);
});

/**
 * Makes the page wait for the microphone until `allow()` is called, and stores the audio tracks that the page opens.
 */
const ASK_SLOWLY = `
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  window.tracks = [];
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    await new Promise((resolve) => (window.allow = resolve));
    const stream = await open(constraints);
    window.tracks.push(...stream.getTracks());
    return stream;
  };
`;

/**
 * Starts a recording and calls `leave` while the page waits for the microphone. Then allows the microphone, and waits
 * until the page has released it.
 */
async function allowAfter(page: Page, leave: () => Promise<void>): Promise<void> {
  await page.evaluate('window.allow = undefined');
  await page.getByRole('button', { name: 'Start recording' }).click();
  await eventually('the page asks for the microphone', 30_000, () => page.evaluate('window.allow !== undefined'));
  await leave();
  const opened = (await page.evaluate('tracks.length')) as number;
  await page.evaluate('allow()');
  await eventually('the microphone was opened and released', 30_000, () =>
    page.evaluate(`tracks.length === ${opened + 1} && tracks.at(-1).readyState === 'ended'`),
  );
}

test('if the user allows the microphone only after clicking Stop or leaving the page, the playground releases the microphone and starts no session', async () => {
  const { page, name } = await openPlayground();
  await page.evaluate(ASK_SLOWLY);
  await allowAfter(page, async () => {
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Start recording' }).waitFor();
  });
  await page.getByRole('button', { name: 'Start recording' }).waitFor();
  expect(await page.getByText('Listening.').count()).toBe(0);
  await allowAfter(page, async () => {
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  });
  const { credits, live_sessions: live } = await service.admin.account(name);
  expect([credits.reserved_ms, credits.consumed_ms, live]).toEqual([0, 0, 0]);
  expect(errorsOf(page)).toEqual([]);
});

test('if the service does not answer, the button Cancel of the playground ends the wait for the last text', async () => {
  const { page } = await openPlayground();
  // The stream opens, and no message arrives.
  await page.routeWebSocket(/.*/, () => undefined);
  await page.reload();
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.getByText('Waiting for a worker.').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Waiting for the last text.').waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Start recording' }).waitFor();
  await checkPage(page);
  expect(errorsOf(page)).toEqual([]);
});

test('if the last text does not arrive in time, the playground shows a message', async () => {
  const { page } = await openPlayground();
  await page.routeWebSocket(/.*/, (socket) => socket.send(JSON.stringify({ type: 'ready' })));
  await page.clock.install();
  await page.reload();
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.getByText('Listening.').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Waiting for the last text.').waitFor();
  await eventually('the wait is over', 30_000, async () => {
    await page.clock.fastForward(30_000);
    return page.getByText('The last text did not arrive in time.').isVisible();
  });
  await checkPage(page);
});

test('if the account is limited to one session, the playground explains this before a recording starts and after the service has refused a session', async () => {
  const { page, key } = await openPlayground({ limits: { concurrentSessions: 1 } });
  await page.getByText('Your account may run one session at a time.').waitFor();
  await service.create(key, { model: KIKUYU, max_audio_seconds: 5 });
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.getByText('All sessions that your account may run at the same time are in use.').waitFor();
  await checkPage(page);
});

test('if the account has no credit, the playground shows one message about this and disables the button that starts a recording', async () => {
  const { page } = await openPlayground({ seconds: 0 });
  await page.getByText('Your credit is used up.').waitFor();
  expect(await page.getByRole('button', { name: 'Start recording' }).isDisabled()).toBe(true);
  await checkPage(page);
});

test('the playground reports that all workers are busy if the selected model has no workers', async () => {
  const { page } = await openPlayground();
  await page.getByLabel('Model').selectOption(FULL);
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.getByText('All workers are busy.').waitFor();
  await checkPage(page);
});

test('the example code in the playground names the API key, and changes with the settings', async () => {
  const { page } = await openPlayground();
  const code = page.getByRole('tabpanel').locator('pre');
  // The keys are loaded after the page.
  await code.filter({ hasText: /SVC_ASR_API_KEY must contain the key .* ends with \w{4}\./ }).waitFor();
  await page.getByLabel('End of an utterance').selectOption({ label: 'At a pause of 500 ms' });
  await page.getByRole('tab', { name: 'Python' }).click();
  expect(await code.innerText()).toContain('endpointing_ms=500');
  await checkPage(page);
});
