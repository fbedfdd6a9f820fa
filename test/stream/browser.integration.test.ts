import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@svc-asr/client';
import { buildClientPackage, bundle } from '../../tools/package/client.ts';
import { writeTarball } from '../../tools/package/tarball.ts';
import { openPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL } from '../support/gateway.ts';
import { modelFolder, recording } from '../support/recording.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wrapWav } from '../support/wav.ts';
import { wordsOf } from '../support/word-errors.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const run = promisify(execFile);
const PACKAGES = resolve(import.meta.dirname, '../../packages');
const NAME = 'ki_espeak_002';
/**
 * Recording whose first word the model recognizes at any position within a chunk. The browser starts to capture at any
 * sample, so the position differs between runs.
 */
const SPOKEN = 'ki_espeak_019';
const SILENCE_SECONDS = 3;

/** A page that loads the built packages without a bundler. */
const PAGE = `<!doctype html>
<title>client</title>
<script type="importmap">
  {"imports": {
    "@svc-asr/client": "/packages/client/dist/index.js",
    "@svc-asr/core/stream": "/packages/core/dist/stream/index.js"
  }}
</script>
<script type="module">
  const report = (result) => fetch('/result', { method: 'POST', body: JSON.stringify(result) });
  addEventListener('unhandledrejection', ({ reason }) => report({ error: String(reason?.stack ?? reason) }));
  addEventListener('error', ({ message }) => report({ error: message }));
  const { createWavConverter, openStream } = await import('@svc-asr/client');
  const session = await (await fetch('/session', { method: 'POST' })).json();
  const stream = openStream(session);
  const types = [];
  const reading = (async () => {
    for await (const event of stream) types.push(event.type);
  })();
  const converter = createWavConverter();
  const { body } = await fetch('/audio.wav');
  for await (const bytes of body) await stream.send(converter.push(bytes));
  await stream.send(converter.end().pcm);
  const { text, words } = await stream.flush();
  const { code, advice } = await stream.close();
  await reading;
  await report({ text, words: words.length, types: [...new Set(types)], code, retry: advice.retry });
</script>
`;

/** Script of the page that captures a microphone and opens the stream only after the first words. */
const MICROPHONE_SCRIPT = `
import { openStream } from '/dist/browser.js';
import { openMicrophone } from '/dist/microphone.js';
const report = (result) => fetch('/result', { method: 'POST', body: JSON.stringify(result) });
const failureOf = (options) => openMicrophone(options).then(() => 'none', (error) => error.name + ' ' + error.code);
const samplesUntil = async (microphone, count) => {
  const pieces = [];
  let samples = 0;
  for await (const pcm of microphone) {
    pieces.push(pcm);
    samples += pcm.length;
    if (samples >= count) break;
  }
  return pieces;
};
try {
  const seconds = Number(new URLSearchParams(location.search).get('seconds'));
  const constraints = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  const microphone = await openMicrophone({ constraints });
  const early = await samplesUntil(microphone, (${SILENCE_SECONDS} + 2) * 16_000);
  const stream = openStream(await (await fetch('/session', { method: 'POST' })).json());
  for (const pcm of early) void stream.send(pcm);
  const counted = { send: (pcm) => {
    sent += pcm.length;
    if (sent >= seconds * 16_000) void microphone.stop();
    return stream.send(pcm);
  } };
  let sent = early.reduce((sum, pcm) => sum + pcm.length, 0);
  await microphone.sendTo(counted);
  const { text } = await stream.flush();
  await stream.close();
  await report({
    text,
    sent,
    missing: await failureOf({ constraints: { deviceId: { exact: 'none' } } }),
    blocked: await failureOf({ workletUrl: 'data:text/javascript,' }),
  });
} catch (error) {
  await report({ error: String(error?.stack ?? error) });
}
`;

const MICROPHONE_PAGE = '<!doctype html><title>microphone</title><script type="module" src="/page.js"></script>';
const MICROPHONE_HEADERS = {
  'content-type': 'text/html',
  'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self' ws://127.0.0.1:*",
};

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

const ROOT = resolve(PACKAGES, '..');

/** A program of a user of the package. It streams a WAV file and prints the transcript. */
const PROGRAM = `
import { readFileSync } from 'node:fs';
import { createClient, createWavConverter } from '@svc-asr/client';
import type { FinalMessage, StreamEvent } from '@svc-asr/client';

const client = createClient({ baseUrl: process.env.BASE_URL ?? '', apiKey: process.env.API_KEY ?? '' });
const [model] = await client.listModels();
const stream = client.longStream({ model: model?.id ?? '' });
const types: StreamEvent['type'][] = [];
const reading = (async () => {
  for await (const event of stream) types.push(event.type);
})();
const converter = createWavConverter();
await stream.send(converter.push(readFileSync(process.env.FILE ?? '')));
await stream.send(converter.end().pcm);
const { text }: FinalMessage = await stream.flush();
await stream.close();
await reading;
console.log(JSON.stringify({ text, hasFinal: types.includes('final') }));
`;

interface Site {
  readonly url: string;
  /** Package files that the page requested. */
  readonly modules: string[];
  result: () => Record<string, unknown> | undefined;
  stop: () => void;
}

/**
 * Starts a server like that of a developer who uses the package. It creates sessions with its API key and serves the
 * pages that the browser opens.
 */
async function startSite(key: string, scripts: ReadonlyMap<string, string> = new Map()): Promise<Site> {
  const client = createClient({ baseUrl: stage.gateway.baseUrl, apiKey: key });
  const modules: string[] = [];
  let result: Record<string, unknown> | undefined;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (path.startsWith('/microphone')) response.writeHead(200, MICROPHONE_HEADERS).end(MICROPHONE_PAGE);
    else if (scripts.has(path)) response.setHeader('content-type', 'text/javascript').end(scripts.get(path));
    else if (path === '/') response.setHeader('content-type', 'text/html').end(PAGE);
    else if (path === '/audio.wav') response.end(readFileSync(join(modelFolder(MODEL), 'eval', `${NAME}.wav`)));
    else if (path === '/session') response.end(JSON.stringify(await client.createSession({ model: MODEL })));
    else if (path === '/result') {
      const chunks = (await request.toArray()) as Buffer[];
      result ??= JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      response.end();
    } else if (/^\/packages\/(client|core)\/dist\/[\w./-]+\.js$/.test(path)) {
      modules.push(path.slice('/packages/'.length));
      response.setHeader('content-type', 'text/javascript').end(readFileSync(join(PACKAGES, path.slice(10))));
    } else response.writeHead(404).end();
  }
  const server: Server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    modules,
    result: () => result,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('the client streams a WAV file in a browser with a credential from a server and receives the transcript', async () => {
  const { stream } = await stage.ready();
  stream.audio(recording(NAME).pcm);
  stream.send({ type: 'flush' });
  const { text, words } = await stream.next('final');
  stream.close();

  const caller = await stage.caller();
  const site = await startSite(caller.key);
  const browser = openPage(site.url);
  try {
    const result = await eventually('the page reports its result', 90_000, site.result).catch((error: unknown) => {
      throw new Error(`${String(error)}; the output of the browser: ${browser.output().slice(-4000)}`);
    });
    expect(result).toEqual({
      text,
      words: words.length,
      code: 1000,
      retry: 'never',
      types: expect.arrayContaining(['ready', 'delta', 'final']) as unknown,
    });
    expect(await stage.settled(caller)).toMatchObject({
      state: 'completed',
      audioMs: Math.ceil(recording(NAME).pcm.length / 32),
    });
    // The page loads only constants and arithmetic of core, and no schemas or schema library.
    expect(site.modules.filter((module) => module.startsWith('core/')).sort()).toEqual(
      ['audio', 'stream/close', 'stream/index', 'stream/limits', 'stream/message-rate'].map(
        (name) => `core/dist/${name}.js`,
      ),
    );
  } finally {
    await browser.stop();
    site.stop();
  }
}, 180_000);

/**
 * Writes a recording for the fake microphone of the browser. The browser plays the file in real time as soon as the
 * page opens the microphone. The silence before the speech is longer than a busy machine needs to start the capture.
 */
function writeSpokenFile(): { file: string; seconds: number } {
  const silence = Buffer.alloc(SILENCE_SECONDS * 32_000);
  const spoken = Buffer.concat([silence, recording(SPOKEN).pcm]);
  const file = join(temporaryFolder('microphone'), 'spoken.wav');
  writeFileSync(file, wrapWav(Buffer.concat([spoken, silence])));
  return { file, seconds: spoken.length / 32_000 };
}

test('the microphone keeps a word that was spoken before the stream was open, under a strict content security policy', async () => {
  const scripts = new Map([['/page.js', MICROPHONE_SCRIPT]]);
  for (const name of ['browser', 'microphone', 'microphone-worklet'] as const) {
    scripts.set(`/dist/${name}.js`, await bundle(ROOT, { entry: `${name}.ts`, isForBrowsers: true }));
  }
  const caller = await stage.caller();
  const site = await startSite(caller.key, scripts);
  const { file, seconds } = writeSpokenFile();
  const browser = openPage(`${site.url}microphone?seconds=${seconds}`, [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}%noloop`,
  ]);
  try {
    const result = await eventually('the page reports its result', 90_000, site.result).catch((error: unknown) => {
      throw new Error(`${String(error)}; the output of the browser: ${browser.output().slice(-4000)}`);
    });
    expect(result).toEqual({
      text: expect.any(String) as unknown,
      sent: expect.any(Number) as unknown,
      missing: 'MicrophoneError no_device',
      blocked: 'MicrophoneError worklet_refused',
    });
    // A busy browser may stretch the first word, which lengthens its last vowel. The test therefore compares only the
    // start of the word.
    const [first = ''] = wordsOf(recording(SPOKEN).text);
    expect(wordsOf(String(result.text))[0]?.slice(0, first.length)).toBe(first);
    expect(await stage.settled(caller)).toMatchObject({ audioMs: Math.ceil(Number(result.sent) / 16) });
  } finally {
    await browser.stop();
    site.stop();
  }
}, 180_000);

test('the client package installs from its tarball in an empty project, has complete types and transcribes', async () => {
  const folder = temporaryFolder('project');
  await writeTarball(await buildClientPackage(ROOT), join(folder, 'client.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  writeFileSync(join(folder, 'main.ts'), PROGRAM);
  // The dependency of the package comes from this repository, because a test must not need a registry.
  const ws = join(ROOT, 'node_modules/ws');
  const npm = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', './client.tgz', ws];
  await run('npm', npm, { cwd: folder });
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const typeRoots = ['--typeRoots', join(ROOT, 'node_modules/@types')];
  await run(process.execPath, [join(ROOT, 'node_modules/typescript-7/bin/tsc'), ...strict, ...typeRoots, 'main.ts'], {
    cwd: folder,
  });
  const { key } = await stage.caller();
  const { stdout } = await run(process.execPath, ['main.ts'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      BASE_URL: stage.gateway.baseUrl,
      API_KEY: key,
      FILE: join(modelFolder(MODEL), 'eval', `${NAME}.wav`),
    },
  });
  expect(JSON.parse(stdout)).toEqual({ text: expect.stringMatching(/\w+ \w+/), hasFinal: true });
}, 180_000);
