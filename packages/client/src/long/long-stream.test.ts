import type { AsrSession } from '@svc-asr/core';
import { createClient } from '../client.ts';
import type { Client } from '../client.ts';
import { createDeferred } from '../stream/deferred.ts';
import type { StreamEvent } from '../stream/event.ts';
import { SvcAsrStreamEnded } from '../stream/failure.ts';
import type { AsrStream } from '../stream/stream.ts';
import { startTestService, TEST_KEY } from '../../../../test/support/scripted-service/service.ts';
import type { TestService } from '../../../../test/support/scripted-service/service.ts';
import { openLongStream } from './long-stream.ts';
import type { LongStreamOptions } from './long-stream.ts';

const RATE = 16_000;
/** Samples of a word in the test audio: 500 ms. */
const WORD_SAMPLES = RATE / 2;
const SESSION_SECONDS = 10;

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startTestService({ isPlain: true });
  client = createClient({ baseUrl: service.url, apiKey: TEST_KEY });
});
beforeEach(() => {
  Object.assign(service, { script: { recognize }, scripts: [], refusal: undefined, refusals: [], creditSeconds: 3600 });
  service.streams.length = 0;
  service.requests.length = 0;
});
afterAll(() => service.close());

/** Returns audio in which each word is a constant level. 0 is silence of the length of a word. */
function speech(...words: number[]): Int16Array {
  return Int16Array.from({ length: words.length * WORD_SAMPLES }, (_, at) => {
    const word = words[Math.floor(at / WORD_SAMPLES)] ?? 0;
    return word === 0 ? 0 : 1000 + word;
  });
}
/** Returns 9 s of words and then a pause that is long enough for the long stream to end the session in it. */
const untilPause = () => speech(...count(18), 0).subarray(0, 9.4 * RATE);
const count = (length: number) => Array.from({ length }, (_, at) => at + 1);

/** Recognizes the audio of `speech`. A word that is incomplete gets a question mark. */
function recognize(samples: Int16Array) {
  const words: { text: string; start_ms: number; end_ms: number }[] = [];
  for (let start = 0, end = 0; start < samples.length; start = end) {
    while (end < samples.length && samples[end] === samples[start]) end++;
    const level = samples[start] ?? 0;
    if (level === 0) continue;
    const text = end - start >= WORD_SAMPLES ? `w${level - 1000}` : `w${level - 1000}?`;
    words.push({ text, start_ms: start / 16, end_ms: end / 16 });
  }
  return words;
}

const open = (options: LongStreamOptions = {}): AsrStream =>
  openLongStream(() => client.createSession({ model: 'm', maxAudioSeconds: SESSION_SECONDS }), {
    webSocket: globalThis.WebSocket,
    ...options,
  });

/** Sends audio in pieces, flushes and closes. Returns all events. */
async function transcribe(stream: AsrStream, audio: Int16Array): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  for (let at = 0; at < audio.length; at += 5000) await stream.send(audio.subarray(at, at + 5000));
  await stream.flush();
  await stream.close();
  await reading;
  return events;
}
const finalsOf = (events: StreamEvent[]) => events.filter((event) => event.type === 'final');
const wordsOf = (events: StreamEvent[]) => finalsOf(events).flatMap(({ words }) => words);
const samplesOf = (at: number) => Buffer.concat(service.streams[at]?.audio ?? []).length / 2;

test('a long stream that fits into one session has the same events as an ordinary stream', async () => {
  const stream = client.longStream({ model: 'm' }, { totalSamples: 4 * WORD_SAMPLES, webSocket: globalThis.WebSocket });
  const events = await transcribe(stream, speech(1, 2, 3, 4));
  expect([...new Set(events.map(({ type }) => type))]).toEqual(['status', 'ready', 'delta', 'final']);
  expect(finalsOf(events)).toMatchObject([{ text: 'w1 w2 w3 w4', utterance: 1, audio_end_ms: 2000 }]);
  expect(await stream.closed).toMatchObject({ code: 1000 });
  expect(service.requests).toEqual([{ model: 'm', max_audio_seconds: 2 }]);
});

test('a long stream continues in a new session after a pause, with continuous times and no audio sent twice', async () => {
  const words = [...count(18), 0, ...count(30).map((word) => word + 18)];
  const events = await transcribe(open(), speech(...words));
  expect(wordsOf(events).map(({ text }) => text)).toEqual(count(48).map((word) => `w${word}`));
  for (const [at, word] of wordsOf(events).entries()) {
    expect(word.start_ms).toBe((at < 18 ? at : at + 1) * 500);
  }
  const finals = finalsOf(events);
  expect(finals[0]?.audio_end_ms).toBeGreaterThanOrEqual(9400);
  expect(finals[0]?.audio_end_ms).toBeLessThan(9500);
  for (const [at, final] of finals.entries()) {
    expect(final.utterance).toBe(at + 1);
    if (at > 0) expect(final.audio_start_ms).toBe(finals[at - 1]!.audio_end_ms);
  }
  expect(samplesOf(0) / 16).toBe(finals[0]?.audio_end_ms);
});

test('without a pause, a long stream starts the next session after the last complete word, and repeats at most 2 s of audio in each further session', async () => {
  // The first 0.25 s shift all words, so that the limit of the first session is in the middle of a word.
  const audio = Int16Array.from([...speech(1).subarray(0, 4000), ...speech(...count(45))]);
  const events = await transcribe(open(), audio);
  const texts = wordsOf(events).map(({ text }) => text);
  expect(texts.slice(1)).toEqual(
    count(45)
      .slice(1)
      .map((word) => `w${word}`),
  );
  expect(texts.filter((text) => text.includes('?'))).toEqual([]);
  const sent = service.streams.map((_, at) => samplesOf(at)).reduce((sum, samples) => sum + samples);
  const seams = service.streams.length - 1;
  expect(seams).toBe(2);
  expect(sent - audio.length).toBeGreaterThan(0);
  expect(sent - audio.length).toBeLessThanOrEqual(seams * 2 * RATE);
  const starts = wordsOf(events).map(({ start_ms: start }) => start);
  expect(starts).toEqual([...starts].sort((one, other) => one - other));
});

test('flush() of a long stream returns the last final of an ended session if no audio was sent after that session', async () => {
  const stream = open();
  const events: StreamEvent[] = [];
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  await stream.send(untilPause());
  await service.streams[0]?.closeCode;
  expect(await stream.flush()).toMatchObject({
    utterance: 1,
    text: count(18)
      .map((word) => `w${word}`)
      .join(' '),
  });
  await stream.close();
  await reading;
  expect(finalsOf(events)).toHaveLength(1);
});

test.each([
  ['breaks', { breakAtSamples: 4 * RATE }],
  ['is closed with 1011', { closeAtFlush: { code: 1011, error: 'internal_error' } as const }],
  ['is closed with 4503', { closeAtFlush: { code: 4503, error: 'no_capacity' } as const }],
  ['is closed with 1001 after a final', { closeAtFlush: { code: 1001, reason: 'draining', final: true } }],
])(
  'a long stream whose connection %s continues in a new session with the audio after the last final',
  async (_, script) => {
    service.scripts = [{ recognize, ...script }];
    const stream = open();
    const events: StreamEvent[] = [];
    const reading = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await stream.config({ language: 'ki', context: [56, 3] });
    void stream.send(speech(1, 2));
    const first = await stream.flush();
    void stream.send(speech(...count(8).map((word) => word + 2)));
    const second = await stream.flush();
    await stream.close();
    await reading;
    expect([first.text, second.text]).toEqual(['w1 w2', 'w3 w4 w5 w6 w7 w8 w9 w10']);
    expect([first.audio_start_ms, second.audio_start_ms, second.audio_end_ms]).toEqual([0, 1000, 5000]);
    expect([first.utterance, second.utterance]).toEqual([1, 2]);
    expect(service.streams).toHaveLength(2);
    expect(service.streams[1]?.messages[0]).toEqual({ type: 'config', language: 'ki', context: [56, 3] });
    expect(events.filter(({ type }) => type === 'ready' || type === 'config_ack' || type === 'error')).toHaveLength(2);
  },
);

test('if the service ends a session within a word, a long stream sends that word again in the next session', async () => {
  service.scripts = [{ recognize, endAtSamples: { samples: 3.25 * RATE, code: 1001 } }];
  const stream = open();
  await stream.send(speech(...count(7)).subarray(0, 3.25 * RATE));
  await service.streams[0]?.closeCode;
  const events = await transcribe(stream, speech(7, ...count(3).map((word) => word + 7)).subarray(0.25 * RATE));
  expect(wordsOf(events).map(({ text }) => text)).toEqual(count(10).map((word) => `w${word}`));
  expect(finalsOf(events).map(({ utterance, audio_end_ms: end }) => [utterance, end])).toEqual([
    [1, 3000],
    [2, 5000],
  ]);
});

test('if the service closes with a code that allows no retry, a long stream ends and reports all words of the last final', async () => {
  service.script = { recognize, endAtSamples: { samples: 1.25 * RATE, code: 4403 } };
  const stream = open();
  const events: StreamEvent[] = [];
  void stream.send(speech(1, 2, 3).subarray(0, 1.25 * RATE));
  for await (const event of stream) events.push(event);
  expect(await stream.closed).toMatchObject({ code: 4403 });
  expect(wordsOf(events).map(({ text }) => text)).toEqual(['w1', 'w2', 'w3?']);
});

test('if more than maxReconnects sessions in a row fail, a long stream ends with the failure of the last one', async () => {
  service.script = { breakAtSamples: 100 };
  const stream = open({ maxReconnects: 1 });
  void stream.send(speech(1));
  const error = await stream.flush().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SvcAsrStreamEnded);
  expect(await stream.closed).toMatchObject({ code: 1006 });
  expect(service.streams).toHaveLength(2);
  await expect(stream.send(speech(1))).rejects.toBe(error);
});

test('a long stream retries a session after concurrency_limit_exceeded, and ends with insufficient_credits if no credit is left', async () => {
  service.creditSeconds = SESSION_SECONDS;
  const stream = open();
  const events: StreamEvent[] = [];
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  void stream.send(untilPause());
  await stream.ready;
  service.refusals = [{ status: 429, code: 'concurrency_limit_exceeded', message: 'Taken.', retryAfterS: 1 }];
  await expect(stream.send(speech(1, 2, 3, 4, 5))).rejects.toMatchObject({ code: 'insufficient_credits' });
  await expect(reading).rejects.toMatchObject({ status: 402 });
  expect(service.refusals).toEqual([]);
  expect(finalsOf(events)).toHaveLength(1);
  expect(await stream.closed).toMatchObject({ advice: { retry: 'never' } });
});

test('if the service refuses the first session, the calls of a long stream fail with the error of the service', async () => {
  service.refusal = { status: 403, code: 'account_inactive', message: 'No.' };
  const stream = open();
  await expect(stream.ready).rejects.toMatchObject({ status: 403 });
  await expect(stream.flush()).rejects.toMatchObject({ status: 403 });
});

test('a long stream continues after a reset and a refused config, ends when its signal is aborted, and can be closed before any audio was sent', async () => {
  const controller = new AbortController();
  const stream = open({ signal: controller.signal });
  void stream.send(speech(1));
  expect(await stream.reset()).toMatchObject({ utterance: 2 });
  await expect(stream.config({ language: 'sw' })).rejects.toMatchObject({ code: 'invalid_config' });
  void stream.send(speech(2));
  expect(await stream.flush()).toMatchObject({ text: 'w2', utterance: 2, audio_start_ms: 500 });
  await stream.keepAlive();
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(stream.send(speech(3))).rejects.toBe(reason);
  expect(await stream.closed).toMatchObject({ reason: 'aborted' });
  expect(await open().close()).toMatchObject({ code: 1000 });
});

test('close() ends a long stream whose first session is not created yet', async () => {
  const created = createDeferred<AsrSession>();
  const stream = openLongStream(() => created.promise, { webSocket: globalThis.WebSocket });
  void stream.send(speech(1));
  const closed = stream.close();
  created.resolve(await client.createSession({ model: 'm' }));
  expect(await closed).toMatchObject({ code: 1000 });
  expect(service.streams).toEqual([]);
});
