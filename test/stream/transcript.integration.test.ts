import { readFileSync } from 'node:fs';
import { FILE_LIMITS } from '@svc-asr/core';
import type { Model } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { untilPoolIsEmpty } from '../support/empty-pool.ts';
import { eventually } from '../support/eventually.ts';
import { buildFlac, buildFlacBomb } from '../support/flac.ts';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { buildOpusBomb } from '../support/ogg.ts';
import { recording } from '../support/recording.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import { wrapWav } from '../support/wav.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';

let redis: TestRedis;
let ledger: Ledger;
let gateway: TestGateway;
let worker: TestWorker;
const prefix = ownPrefix();

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  [gateway, worker] = await Promise.all([startGateway(redis.url, prefix), startWorker(redis.url, prefix)]);
});
afterAll(async () => {
  await gateway.stop();
  await worker.stop();
  await ledger.link.close();
  await redis.stop();
});

test('the stream of a recording returns deltas and a final, and is settled with exactly its samples', async () => {
  const { tenant, key } = await seedTenant(ledger, 3_600_000);
  const { pcm, text } = recording();
  const stream = await openStream(await createSession(gateway, key, { model: MODEL }));
  expect(await stream.next('ready')).toMatchObject({ model: MODEL, chunk_samples: 17_920, context_size: [56, 13] });
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  const final = await stream.next('final');
  expect(final.utterance).toBe(1);
  expect(final.audio_end_ms).toBe(Math.ceil(pcm.length / 32));
  expect(final.words.map((word) => word.text).join(' ')).toBe(final.text);
  const expected = new Set(text.toLowerCase().split(/\s+/));
  const hits = final.text.split(' ').filter((word) => expected.has(word)).length;
  expect(hits / expected.size).toBeGreaterThan(0.5);
  const deltas = stream.events.filter((event) => event.type === 'delta');
  expect(deltas.length).toBeGreaterThan(1);
  stream.close();
  expect(await stream.closed).toMatchObject({ code: 1000 });
  await until(async () => (await ledger.accounts.usage(tenant))!.recent[0]?.state === 'completed');
  const [session] = (await ledger.accounts.usage(tenant))!.recent;
  expect(session).toMatchObject({
    audioMs: Math.ceil(pcm.length / 32),
    billableMs: Math.ceil(pcm.length / 32_000) * 1000,
  });
  await untilPoolIsEmpty(ledger, MODEL);
});

test('GET /v1/models lists the contexts that the worker has reported', async () => {
  const listed = await eventually('the contexts are listed', 30_000, async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/models`);
    const { data } = (await response.json()) as { data: Model[] };
    return (data[0]?.contexts.length ?? 0) > 1 ? data[0]?.contexts : undefined;
  });
  const rights = [13, 6, 3, 1, 0];
  expect(listed).toEqual(
    rights.map((right) => ({ context_size: [56, right], chunk_ms: (right + 1) * 80, default: right === 13 })),
  );
});

async function until(check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error('the condition was not met within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe('POST /v1/audio/transcriptions', () => {
  /** Sends a form with a file and returns the answer. */
  async function transcribe(key: string, file: Uint8Array, fields: Record<string, string> = {}) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: MODEL, ...fields })) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(file)]), 'speech.wav');
    return fetch(`${gateway.baseUrl}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
  }
  const codeOf = async (answer: Response) => [
    answer.status,
    ((await answer.json()) as { error: { code: string } }).error.code,
  ];

  test('returns the same text as a stream of the same audio, and charges whole seconds', async () => {
    const { tenant, key } = await seedTenant(ledger, 3_600_000);
    const { pcm } = recording();
    const stream = await openStream(await createSession(gateway, key, { model: MODEL }));
    await stream.next('ready');
    stream.audio(pcm);
    stream.send({ type: 'flush' });
    const { text } = await stream.next('final');
    stream.close();
    await until(async () => (await ledger.accounts.usage(tenant))!.recent[0]?.state === 'completed');
    const seconds = Math.ceil(pcm.length / 32_000);

    const answer = await transcribe(key, wrapWav(pcm));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ text, usage: { type: 'duration', seconds } });
    const { recent, balance } = (await ledger.accounts.usage(tenant))!;
    expect(recent[0]).toMatchObject({ audioMs: Math.ceil(pcm.length / 32), billableMs: seconds * 1000 });
    expect(balance).toMatchObject({ consumedMs: 2 * seconds * 1000, reservedMs: 0 });

    const subtitles = await transcribe(key, wrapWav(pcm), { response_format: 'srt' });
    expect(await subtitles.text()).toMatch(/^1\n00:00:0\d,\d{3} --> /);
    await untilPoolIsEmpty(ledger, MODEL);
  });

  test('returns segments whose avg_logprob is between -2 and 0', async () => {
    const { key } = await seedTenant(ledger, 3_600_000);
    const file = wrapWav(recording().pcm);
    const answer = await transcribe(key, file, { response_format: 'verbose_json' });
    const { segments } = (await answer.json()) as { segments: { avg_logprob: number }[] };
    expect(segments.length).toBeGreaterThan(0);
    for (const { avg_logprob } of segments) {
      expect(avg_logprob).toBeLessThan(0);
      expect(avg_logprob).toBeGreaterThan(-2);
    }
    await untilPoolIsEmpty(ledger, MODEL);
  });

  const fixture = (name: string) => readFileSync(new URL(`../support/fixtures/${name}`, import.meta.url));

  test('returns exactly the same words and times for FLAC as for WAV, and text for Ogg Opus', async () => {
    const { key } = await seedTenant(ledger, 3_600_000);
    const { pcm } = recording('ki_espeak_002');
    const fields = { response_format: 'verbose_json', 'timestamp_granularities[]': 'word' };
    const wav: unknown = await (await transcribe(key, wrapWav(pcm), fields)).json();
    const flac = fixture('ki_espeak_002.flac');
    expect(await (await transcribe(key, flac, fields)).json()).toEqual(wav);
    for (const response_format of ['text', 'srt']) {
      const expected = await (await transcribe(key, wrapWav(pcm), { response_format })).text();
      expect(await (await transcribe(key, flac, { response_format })).text()).toBe(expected);
    }
    const opus = (await (await transcribe(key, fixture('ki_espeak_002.opus'), fields)).json()) as { words: unknown[] };
    expect(opus).toMatchObject({ language: 'ki', duration: pcm.length / 32_000 });
    expect(opus.words.length).toBeGreaterThan(5);
    await untilPoolIsEmpty(ledger, MODEL);
  });

  test('sends increments and then the whole text as server-sent events, with stream=true', async () => {
    const { key } = await seedTenant(ledger, 3_600_000);
    const { pcm } = recording();
    const { text } = (await (await transcribe(key, wrapWav(pcm))).json()) as { text: string };
    const answer = await transcribe(key, wrapWav(pcm), { stream: 'true' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const events = (await answer.text()).trimEnd().split('\n\n');
    const parsed = events.map((event) => JSON.parse(event.replace(/^data: /, '')) as { type: string; delta: string });
    const usage = { type: 'duration', seconds: Math.ceil(pcm.length / 32_000) };
    expect(parsed.pop()).toEqual({ type: 'transcript.text.done', text, usage });
    expect(parsed.length).toBeGreaterThan(2);
    expect(new Set(parsed.map(({ type }) => type))).toEqual(new Set(['transcript.text.delta']));
    expect(parsed.map(({ delta }) => delta).join('')).toBe(text);
    expect(await codeOf(await transcribe(key, wrapWav(pcm), { stream: 'true', response_format: 'srt' }))).toEqual([
      400,
      'invalid_parameters',
    ]);
    expect(await codeOf(await transcribe(key, Buffer.from('no audio'), { stream: 'true' }))).toEqual([
      400,
      'unsupported_audio',
    ]);
    await untilPoolIsEmpty(ledger, MODEL);
  });

  test('refuses damaged, overlong and unsupported files with 400, charges nothing and continues to serve', async () => {
    const { tenant, key } = await seedTenant(ledger, 3_600_000);
    const [flac, opus] = [fixture('ki_espeak_002.flac'), fixture('ki_espeak_002.opus')];
    const cases: [Uint8Array, string][] = [
      [wrapWav(Buffer.alloc(32_000)).subarray(0, 40), 'invalid_audio'],
      [opus.subarray(0, 10_000), 'invalid_audio'],
      [Buffer.concat([flac.subarray(0, 90), Buffer.alloc(100_000, 7)]), 'invalid_audio'],
      [buildFlac(Buffer.alloc(32_000), { declaredSamples: 2 ** 36 - 1 }), 'invalid_audio'],
      [buildOpusBomb(0), 'invalid_audio'],
      [buildFlacBomb(Math.ceil(FILE_LIMITS.maxSeconds / 4)), 'audio_too_long'],
      [buildOpusBomb(Math.ceil(FILE_LIMITS.maxSeconds / 30)), 'audio_too_long'],
    ];
    for (const [file, code] of cases) expect(await codeOf(await transcribe(key, file))).toEqual([400, code]);
    const refusal = await transcribe(key, Buffer.from('....ftypM4A ............'));
    const { error } = (await refusal.json()) as { error: { message: string } };
    expect(error.message).toContain('Accepted formats are WAV, FLAC and Ogg Opus');
    expect(await ledger.accounts.usage(tenant)).toMatchObject({ balance: { reservedMs: 0, consumedMs: 0 } });
    expect((await transcribe(key, opus)).status).toBe(200);
    await untilPoolIsEmpty(ledger, MODEL);
  });

  test('refuses unusable files, wrong fields, broken forms and audio above the credit, and charges nothing', async () => {
    const { tenant, key } = await seedTenant(ledger, 2000);
    const second = wrapWav(Buffer.alloc(32_000));
    expect(await codeOf(await transcribe(key, Buffer.from('no audio')))).toEqual([400, 'unsupported_audio']);
    expect(await codeOf(await transcribe(key, wrapWav(Buffer.alloc(0))))).toEqual([400, 'invalid_audio']);
    expect(await codeOf(await transcribe(key, wrapWav(Buffer.alloc(26 * 1_048_576))))).toEqual([
      413,
      'request_too_large',
    ]);
    expect(await codeOf(await transcribe(key, second, { model: 'none' }))).toEqual([404, 'model_not_found']);
    const wrongFormat = await transcribe(key, second, { response_format: 'xml' });
    expect(await wrongFormat.clone().text()).toContain('(received \\"xml\\")');
    expect(await codeOf(wrongFormat)).toEqual([400, 'invalid_parameters']);
    // The account has credit for two seconds.
    expect(await codeOf(await transcribe(key, wrapWav(Buffer.alloc(96_000))))).toEqual([402, 'insufficient_credits']);
    expect(await ledger.accounts.usage(tenant)).toMatchObject({
      balance: { availableMs: 2000, reservedMs: 0, consumedMs: 0 },
    });
    const brokenBodies = [
      // The body ends in the middle of the file.
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF',
      // The second part has no headers. An earlier version sent no response to such a request.
      '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--x\r\nno header\r\n--x--\r\n',
    ];
    for (const body of brokenBodies) {
      const broken = await fetch(`${gateway.baseUrl}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=x' },
        body,
      });
      expect(await codeOf(broken)).toEqual([400, 'invalid_parameters']);
    }
    const init = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } };
    const path = `${gateway.baseUrl}/v1/audio/transcriptions`;
    expect(await codeOf(await fetch(path, { ...init, body: '{}' }))).toEqual([415, 'unsupported_media_type']);
    expect((await transcribe(key, wrapWav(Buffer.alloc(64_000)))).status).toBe(200);
    await untilPoolIsEmpty(ledger, MODEL);
  });
});
