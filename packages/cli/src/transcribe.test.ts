import type { ChildProcess } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { runCommand } from './testing/command.ts';
import type { CommandOptions } from './testing/command.ts';
import { findNodes } from './testing/nodes.ts';
import { startTestService, TEST_KEY } from '../../../test/support/scripted-service/service.ts';
import type { TestService } from '../../../test/support/scripted-service/service.ts';
import { encodeSamples, tone, wrapWav } from '../../../test/support/wav.ts';

let service: TestService;
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  folder = temporaryFolder('transcribe');
  const caFile = join(folder, 'test-ca.pem');
  writeFileSync(caFile, service.ca);
  environment = {
    SVC_ASR_HOME: folder,
    SVC_ASR_BASE_URL: service.url,
    SVC_ASR_CA_FILE: caFile,
    SVC_ASR_API_KEY: TEST_KEY,
  };
});
beforeEach(() => {
  const unset = { refusal: undefined, handshakeRefusal: undefined };
  Object.assign(service, { script: {}, scripts: [], refusals: [], creditSeconds: 3600, ...unset });
  service.requests.length = 0;
  service.streams.length = 0;
});
afterAll(() => service.close());

/** Writes a WAV file of silence: 16-bit samples at 16,000 Hz. */
function fileOf(seconds: number): string {
  const file = join(folder, `${seconds}.wav`);
  writeFileSync(file, wrapWav(new Uint8Array(Math.round(seconds * 16_000) * 2)));
  return file;
}
/** Runs a command. `transcribe` gets a language, because the service has two models. */
const run = ([command = '', ...line]: string[], options?: CommandOptions) =>
  runCommand([command, ...(line.includes('--language') ? [] : ['--language', 'ki-KE']), ...line], environment, options);
const CONFIG = { type: 'config', language: 'ki' };

test.each(findNodes())('transcribe on %s converts and transcribes a 24-bit stereo file over TLS', async (node) => {
  const stereo = tone(440, 44_100, 44_100 * 2).flatMap((sample) => [sample, sample]);
  const file = join(folder, 'stereo.wav');
  const format = { encoding: 'int24', channels: 2, sampleRateHz: 44_100 } as const;
  writeFileSync(file, wrapWav(encodeSamples(stereo, 'int24'), format));
  expect(await run(['transcribe', file], { node })).toEqual({ status: 0, out: '32000 samples\n', err: '' });
  expect(service.requests).toEqual([{ model: 'svc-asr-kikuyu-v1', max_audio_seconds: 2 }]);
});

test('transcribe with the file name - streams standard input and reserves the longest session', async () => {
  const input = wrapWav(new Uint8Array(64_000), { riffBytes: 0xffff_ffff, dataBytes: 0xffff_ffff });
  expect(await run(['transcribe', '-'], { input })).toEqual({ status: 0, out: '32000 samples\n', err: '' });
  expect(service.requests[0]?.max_audio_seconds).toBe(300);
});

test('transcribe --json prints each event as a line, and --context and --endpointing configure the stream', async () => {
  const line = [
    'transcribe',
    fileOf(1.5),
    '--json',
    '--context',
    '56,3',
    '--endpointing',
    '500',
    '--model',
    'svc-asr-kikuyu-v1',
    '--language',
    'ki',
  ];
  const { status, out } = await run(line);
  expect(status).toBe(0);
  const events = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as { type: string });
  expect([...new Set(events.map(({ type }) => type))]).toEqual(['status', 'ready', 'config_ack', 'delta', 'final']);
  expect(service.streams[0]?.messages).toEqual([
    { type: 'config', language: 'ki', context: [56, 3], endpointing: { silence_ms: 500 } },
    { type: 'flush' },
  ]);
});

test('if the service has models for several languages, transcribe without --language exits with 2 and lists the languages', async () => {
  const { status, err } = await runCommand(['transcribe', fileOf(1)], environment);
  expect([status, err]).toEqual([
    2,
    'svc-asr: Select the language with --language. Available languages: ki (Kikuyu), luo (Dholuo).\n',
  ]);
  expect(service.requests).toEqual([]);
});

test('if --language is a BCP 47 tag, transcribe sends the language code of the model', async () => {
  expect((await run(['transcribe', fileOf(1.5), '--language', 'ki-KE'])).status).toBe(0);
  expect(service.streams[0]?.messages).toEqual([CONFIG, { type: 'flush' }]);
});

test('transcribe writes one transcript for each recording to the folder of --output, in the format of --format', async () => {
  const target = join(temporaryFolder('transcripts'), 'out');
  const line = ['transcribe', fileOf(1), fileOf(2), '--format', 'srt', '-o', target];
  expect(await run(line)).toEqual({ status: 0, out: '', err: '' });
  expect(readdirSync(target).sort()).toEqual(['1.srt', '2.srt']);
  expect(readFileSync(join(target, '2.srt'), 'utf8')).toBe('1\n00:00:00,000 --> 00:00:02,000\n32000 samples\n');
});

test.each(findNodes())('transcribe on %s creates no session if the transcript cannot be written', async (node) => {
  const file = fileOf(1);
  for (const parent of [join(folder, 'missing'), file]) {
    const target = join(parent, 'out.srt');
    const { status, err } = await run(['transcribe', file, '--format', 'srt', '-o', target], { node });
    expect([status, service.requests]).toEqual([2, []]);
    expect(err).toContain(`cannot write ${target}: the folder ${parent} does not exist`);
  }
});

test('transcribe creates several transcripts in a new folder whose name ends with .txt/', async () => {
  const target = `${join(temporaryFolder('transcripts'), 'x.txt')}/`;
  expect(await run(['transcribe', fileOf(1), fileOf(2), '-o', target])).toEqual({ status: 0, out: '', err: '' });
  expect(readdirSync(target).sort()).toEqual(['1.txt', '2.txt']);
});

test('if the API key is invalid, svc-asr names the variable that is used before the key of npm start', async () => {
  const { status, err } = await runCommand(['transcribe', fileOf(1), '--language', 'ki'], {
    ...environment,
    SVC_ASR_API_KEY: 'wrong',
  });
  expect(status).toBe(1);
  expect(err).toContain('SVC_ASR_API_KEY is used before the key of `npm start`.');
});

test('transcribe prints the transcripts of several files one after the other, and exits with 2 if a file cannot be read', async () => {
  const { status, out, err } = await run(['transcribe', fileOf(1), '/nonexistent.wav', fileOf(2)]);
  expect([status, out.match(/\d+ samples/g)]).toEqual([2, ['16000 samples', '32000 samples']]);
  expect(err).toContain('cannot read /nonexistent.wav: no such file\n');
  expect(err).toContain('1 of 3 files were not transcribed completely');
  expect(out).toContain(`==> ${fileOf(2)} <==\n`);
});

test('transcribe --format json prints one document with text, segments and words', async () => {
  const { out } = await run(['transcribe', fileOf(1.5), '--format', 'json']);
  expect(JSON.parse(out)).toMatchObject({
    model: 'svc-asr-kikuyu-v1',
    language: 'ki',
    duration_ms: 1500,
    text: '24000 samples',
    words: [{ text: '24000 samples', start_ms: 0, end_ms: 1500 }],
  });
});

test('transcribe of more than 300 s joins sessions into one transcript with continuous times', async () => {
  const { status, out } = await run(['transcribe', fileOf(301), '--format', 'json']);
  expect(status).toBe(0);
  const { segments } = JSON.parse(out) as { segments: { start_ms: number; end_ms: number }[] };
  expect(segments.map(({ start_ms: start }) => start)).toEqual([0, segments[0]?.end_ms]);
  expect(segments.at(-1)?.end_ms).toBe(301_000);
  const seconds = Math.ceil((301_000 - (segments[0]?.end_ms ?? 0)) / 1000);
  expect(service.requests.map((request) => request.max_audio_seconds)).toEqual([300, seconds]);
});

test('transcribe waits for the end of another session of the account and reports the wait', async () => {
  const taken = { status: 429, code: 'concurrency_limit_exceeded', message: 'Taken.', retryAfterS: 1 };
  service.refusals = [taken, taken];
  const { status, out, err } = await run(['transcribe', fileOf(1)]);
  expect([status, out]).toEqual([0, '16000 samples\n']);
  expect(err).toMatch(/^Taken\. \(concurrency_limit_exceeded\)\nWaiting up to \d+ s\.\n$/);
});

/** Creates a folder for PATH with a script in place of a program. */
function program(name: string, script: string): string {
  const bin = temporaryFolder('bin');
  writeFileSync(join(bin, name), `#!${process.execPath}\n${script}`);
  chmodSync(join(bin, name), 0o755);
  return bin;
}

test('transcribe converts a file that is not WAV with ffmpeg, from a path and from standard input', async () => {
  const bin = program(
    'ffmpeg',
    `const input = process.argv[process.argv.indexOf('-i') + 1];
    const { readFileSync } = process.getBuiltinModule('node:fs');
    const bytes = readFileSync(input === 'pipe:0' ? 0 : input.replace('file:', ''));
    process.stdout.write(Buffer.alloc(bytes.length * 32));`,
  );
  const file = join(folder, 'talk.mp3');
  writeFileSync(file, 'ID3'.padEnd(1000));
  const line = ['transcribe', '--language', 'ki'];
  const environmentOf = { ...environment, PATH: bin };
  expect(await runCommand([...line, file], environmentOf)).toEqual({ status: 0, out: '16000 samples\n', err: '' });
  const piped = await runCommand([...line, '-'], environmentOf, { input: Buffer.from('ID3'.padEnd(500)) });
  expect(piped).toEqual({ status: 0, out: '8000 samples\n', err: '' });
});

test.each(['flac', 'opus'])(
  'transcribe decodes a %s file without ffmpeg, from a path and from standard input',
  async (format) => {
    const file = fileURLToPath(new URL(`../../../test/support/fixtures/ki_espeak_002.${format}`, import.meta.url));
    const line = ['transcribe', '--language', 'ki'];
    const expected = { status: 0, out: '139520 samples\n', err: '' };
    expect(await run([...line, file])).toEqual(expected);
    expect(await run([...line, '-'], { input: readFileSync(file) })).toEqual(expected);
    const cut = await run([...line, '-'], { input: readFileSync(file).subarray(0, 40) });
    expect([cut.status, cut.err]).toEqual([2, expect.stringContaining('cannot use standard input: the ')]);
  },
);

test('transcribe exits with 2 and the message of ffmpeg if ffmpeg cannot read the file', async () => {
  const bin = program('ffmpeg', 'process.stderr.write("Invalid data\\n"); process.exitCode = 1;');
  const input = Buffer.from('no audio at all');
  const { status, err } = await runCommand(['transcribe', '-'], { ...environment, PATH: bin }, { input });
  expect([status, err]).toEqual([2, 'svc-asr: ffmpeg cannot read standard input: Invalid data\n']);
  expect(service.requests).toEqual([]);
});

test('transcribe --language selects the model, and --realtime sends at the speed of the recording', async () => {
  const startedMs = performance.now();
  const { status } = await run(['transcribe', fileOf(1.5), '--realtime']);
  expect([status, performance.now() - startedMs > 1500]).toEqual([0, true]);
  expect(Math.max(...service.streams[0]!.frameBytes)).toBe(3200);
  await run(['transcribe', fileOf(1), '--language', 'luo-KE']);
  expect(service.requests.map(({ model }) => model)).toEqual(['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1']);
});

test('transcribe exits with 0 for a file whose duration equals the reservation', async () => {
  expect(await run(['transcribe', fileOf(3)])).toEqual({ status: 0, out: '48000 samples\n', err: '' });
});

test.each([
  [['--max-seconds', '2'], 3.5, 3600, 'svc-asr: only the first 2s of 3.5s were transcribed because of --max-seconds\n'],
  [[], 3.5, 1, 'svc-asr: only the first 1s of 3.5s were transcribed: the account has no more credit\n'],
])(
  'transcribe exits with 5 and reports the transcribed part: flags %j, a file of %d s, credit for %i s',
  async (flags, seconds, credit, err) => {
    service.creditSeconds = credit;
    const ended = await run(['transcribe', fileOf(seconds), ...flags]);
    const taken = Math.min(flags.length > 0 ? 2 : seconds, credit);
    expect(ended).toEqual({ status: 5, out: `${taken * 16_000} samples\n`, err });
  },
);

test('transcribe with the file name - exits with 5 if standard input is longer than --max-seconds', async () => {
  const input = wrapWav(new Uint8Array(100_000));
  const { status, err } = await run(['transcribe', '-', '--max-seconds', '2'], { input });
  expect([status, err]).toEqual([5, 'svc-asr: only the first 2s were transcribed because of --max-seconds\n']);
});

test('transcribe prints a note about a truncated file', async () => {
  const file = join(folder, 'cut.wav');
  writeFileSync(file, wrapWav(new Uint8Array(32_000)).subarray(0, 44 + 16_000));
  const { status, out, err } = await run(['transcribe', file]);
  expect([status, out]).toEqual([0, '8000 samples\n']);
  expect(err).toBe(`${file} is shorter than its header declares: 16000 bytes are missing.\n`);
});

test.each([
  ['/nonexistent.wav', 'no such file'],
  [tmpdir(), 'it is a folder'],
])('transcribe exits with 2 and creates no session if %s cannot be read', async (file, reason) => {
  expect(await run(['transcribe', file])).toEqual({
    status: 2,
    out: '',
    err: `svc-asr: cannot read ${file}: ${reason}\n`,
  });
  expect(service.requests).toEqual([]);
});

test('transcribe refuses an MP3 file with advice and creates no session if ffmpeg is not installed', async () => {
  const { status, err } = await run(['transcribe', '-'], { input: Buffer.from('ID3'.padEnd(1000)) });
  expect([status, err]).toEqual([2, expect.stringMatching(/standard input: this is an MP3 file.*ffmpeg/)]);
  expect(service.requests).toEqual([]);
});

test('transcribe exits with 1 if the session, the handshake or the config is refused', async () => {
  service.refusal = { status: 402, code: 'insufficient_credits', message: 'No credit.' };
  expect(await run(['transcribe', fileOf(1)])).toEqual({
    status: 1,
    out: '',
    err: 'svc-asr: No credit. (insufficient_credits, request r-1)\n',
  });
  Object.assign(service, { refusal: undefined });
  service.handshakeRefusal = { status: 403, code: 'account_inactive', message: 'Suspended.' };
  expect((await run(['transcribe', fileOf(1)])).err).toBe('svc-asr: Suspended. (account_inactive, request r-1)\n');
  service.handshakeRefusal = undefined;
  const config = await run(['transcribe', fileOf(1), '--model', 'm', '--language', 'sw']);
  expect([config.status, config.err]).toEqual([1, expect.stringContaining('(invalid_config)')]);
});

test.each([
  [{ closeAtFlush: { code: 4403, error: 'account_suspended' } as const }, /4403: The account was suspended/, 1],
  [{ breakAtSamples: 16_000 }, /1006: The connection broke\.\nRun the command again/, 4],
])(
  'transcribe exits with 4 and reports the cause without a secret if the service ends the stream with %j',
  async (script, err, streams) => {
    service.script = script;
    const ended = await run(['transcribe', fileOf(1.5)]);
    expect(ended).toEqual({ status: 4, out: '', err: expect.stringMatching(err) });
    expect(ended.err).not.toMatch(/s3cret|aaaaaaaa/);
    expect(service.streams).toHaveLength(streams);
  },
);

test('transcribe exits with 0 if the service shuts down after the final', async () => {
  service.script = { closeAtFlush: { code: 1001, reason: 'draining', final: true } };
  expect(await run(['transcribe', fileOf(1.5)])).toEqual({ status: 0, out: '24000 samples\n', err: '' });
});

test('transcribe continues in a new session if the connection breaks', async () => {
  service.scripts = [{ breakAtSamples: 32_000 }];
  expect(await run(['transcribe', fileOf(3)])).toEqual({ status: 0, out: '48000 samples\n', err: '' });
});

test('transcribe prints no reason for the wait of a later session', async () => {
  service.scripts = [{ breakAtSamples: 32_000 }, { readyAfterMs: 2500 }];
  expect(await run(['transcribe', fileOf(3)])).toEqual({ status: 0, out: '48000 samples\n', err: '' });
});

test.each(['standard output', 'a file'])(
  'transcribe with a transcript for %s prints why it waits for a worker',
  async (target) => {
    const line = target === 'a file' ? ['--output', join(temporaryFolder('waits'), 'out.srt'), '--format', 'srt'] : [];
    service.script = { readyAfterMs: 60_000 };
    const reason = 'Waiting for a free recognition slot.\n';
    let err = '';
    const onStart = (child: ChildProcess) => {
      child.stderr?.on('data', (data: Buffer) => (err += data.toString()));
      interruptWhen(() => err.includes(reason))(child);
    };
    const ended = await run(['transcribe', fileOf(1), ...line], { onStart });
    expect(ended).toEqual({ status: 130, out: '', err: `${reason}svc-asr: stopped with Ctrl-C\n` });
  },
);

const recorder = (script: string) => program('parec', script);
const mic = (bin: string, options?: CommandOptions, line: string[] = []) =>
  runCommand(['mic', '--language', 'ki', ...line], { ...environment, PATH: bin }, options);

/** Sends Ctrl-C as soon as the condition is true. */
const interruptWhen = (condition: () => boolean) => (child: ChildProcess) => {
  const timer = setInterval(() => {
    if (!condition()) return;
    clearInterval(timer);
    child.kill('SIGINT');
  }, 20);
};

test('mic prints the final after Ctrl-C and hides the API key from the recorder', async () => {
  const bin = recorder(`
    if (process.env.SVC_ASR_API_KEY !== undefined) process.exit(9);
    process.stdout.write(Buffer.alloc(3201));
    setInterval(() => {}, 1000);
  `);
  const ended = await mic(bin, { onStart: interruptWhen(() => (service.streams[0]?.audio.length ?? 0) > 0) });
  expect(ended).toEqual({
    status: 0,
    out: '1600 samples\n',
    err: 'Recording with parec. Press Ctrl-C to stop and print the transcript.\n',
  });
});

test('mic stops when the credit is used up and prints a note', async () => {
  service.creditSeconds = 1;
  const { status, out, err } = await mic(recorder('setInterval(() => process.stdout.write(Buffer.alloc(6400)), 20);'));
  expect([status, out]).toEqual([0, '16000 samples\n']);
  expect(err).toContain('The account has no more credit.');
});

test('mic exits with 2 if the recorder fails or is missing', async () => {
  const failing = await mic(recorder('process.stderr.write("no device\\n"); process.exitCode = 1;'));
  expect([failing.status, failing.err]).toEqual([2, expect.stringContaining('parec could not record: no device')]);
  const missing = await mic('/nonexistent');
  expect([missing.status, missing.err]).toEqual([2, expect.stringContaining('Install one of: arecord, parec, rec')]);
  expect((await mic('/nonexistent', {}, ['--recorder', 'x'])).err).toContain('--recorder must be one of arecord');
});

test('mic exits with 130 at Ctrl-C before the service is ready', async () => {
  service.script = { readyAfterMs: 60_000 };
  const ended = await mic(recorder(''), { onStart: interruptWhen(() => service.streams.length > 0) });
  expect(ended).toEqual({ status: 130, out: '', err: 'svc-asr: stopped with Ctrl-C before the service was ready\n' });
});

test.each([
  ['transcribe', 'svc-asr: stopped with Ctrl-C\n'],
  ['mic', 'svc-asr: stopped with Ctrl-C before the service was ready\n'],
])('%s exits with 130 at Ctrl-C while it waits because of the concurrency limit', async (name, message) => {
  const taken = { status: 429, code: 'concurrency_limit_exceeded', message: 'Taken.', retryAfterS: 60 };
  service.refusals = Array.from({ length: 100 }, () => taken);
  let err = '';
  const onStart = (child: ChildProcess) => {
    child.stderr?.on('data', (data: Buffer) => (err += data.toString()));
    interruptWhen(() => err.includes('Waiting'))(child);
  };
  const line = name === 'mic' ? ['mic', '--language', 'ki'] : ['transcribe', '--language', 'ki', fileOf(1)];
  const ended = await runCommand(line, { ...environment, PATH: recorder('setInterval(() => {}, 1000);') }, { onStart });
  expect([ended.status, ended.out]).toEqual([130, '']);
  expect(ended.err).toMatch(/Waiting up to \d+ s\.\n/);
  expect(ended.err.endsWith(message)).toBe(true);
  expect(service.streams).toEqual([]);
});
