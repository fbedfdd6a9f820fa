import { recording } from '../support/recording.ts';
import { CREDIT_MS, setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const { pcm } = recording();
const FLUSH = { type: 'flush' };
const RESET = { type: 'reset' };
const EMPTY = { type: 'final', text: '', words: [] };
const msOf = (bytes: number) => Math.ceil(bytes / 32);

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

describe('an audio frame', () => {
  test('of odd length is refused without a charge, and the stream continues', async () => {
    const opened = await stage.ready();
    const { stream } = opened;
    stream.socket.send(pcm.subarray(0, 6400));
    for (const bytes of [1, 6401, 65_535]) {
      stream.socket.send(Buffer.alloc(bytes));
      expect(await stream.next('error')).toMatchObject({ code: 'invalid_audio_frame', fatal: false });
    }
    stream.socket.send(pcm.subarray(6400, 12_800));
    stream.send(FLUSH);
    expect(await stream.next('final')).toMatchObject({ audio_start_ms: 0, audio_end_ms: 400 });
    stream.close();
    expect(await stage.settled(opened)).toMatchObject({ audioMs: 400, billableMs: 1000 });
  });

  test('of 65,536 bytes is accepted', async () => {
    const opened = await stage.ready();
    opened.stream.socket.send(Buffer.alloc(65_536));
    opened.stream.send(FLUSH);
    expect(await opened.stream.next('final')).toMatchObject({ audio_end_ms: 2048 });
    opened.stream.close();
    expect(await stage.settled(opened)).toMatchObject({ audioMs: 2048, billableMs: 3000 });
  });

  test.each([65_537, 65_538, 131_072, 131_074, 5_000_000])('of %i bytes ends the stream with 1009', async (bytes) => {
    const opened = await stage.ready();
    const { stream } = opened;
    stream.socket.send(pcm.subarray(0, 32_002));
    stream.socket.send(Buffer.alloc(bytes));
    expect(await stream.next('error')).toMatchObject({ code: 'frame_too_large', fatal: true });
    expect(await stream.closed).toEqual({ code: 1009, reason: 'frame_too_large' });
    expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 1001, billableMs: 2000 });
  });

  test('that arrives in fragments is checked and processed as one frame', async () => {
    const opened = await stage.ready();
    const { stream } = opened;
    for (const [bytes, fin] of [
      [3, false],
      [0, false],
      [6397, true],
      [65_535, false],
      [1, true],
    ] as const) {
      stream.socket.send(Buffer.alloc(bytes), { fin });
    }
    stream.send(FLUSH);
    expect(await stream.next('final')).toMatchObject({ audio_end_ms: msOf(6400 + 65_536) });
    stream.socket.send(Buffer.alloc(65_536), { fin: false });
    stream.socket.send(Buffer.alloc(2));
    expect(await stream.closed).toEqual({ code: 1009, reason: 'frame_too_large' });
    await stage.settled(opened);
  });

  test('that is empty is accepted and counts as no audio', async () => {
    const opened = await stage.ready();
    opened.stream.socket.send(Buffer.alloc(0));
    opened.stream.send(FLUSH);
    expect(await opened.stream.next('final')).toMatchObject({ ...EMPTY, audio_end_ms: 0 });
    opened.stream.close();
    expect(await stage.settled(opened)).toMatchObject({ audioMs: 0, billableMs: 0 });
  });
});

describe('an utterance', () => {
  test('ends with one final at each flush, with empty text if nothing was spoken', async () => {
    const { stream } = await stage.ready();
    for (let sent = 0; sent < 3; sent++) stream.send(FLUSH);
    for (const utterance of [1, 2, 3]) {
      expect(await stream.next('final')).toEqual({ ...EMPTY, utterance, audio_start_ms: 0, audio_end_ms: 0 });
    }
    stream.audio(pcm);
    stream.send(FLUSH);
    stream.send(FLUSH);
    expect((await stream.next('final')).text).not.toBe('');
    const at = msOf(pcm.length);
    expect(await stream.next('final')).toEqual({ ...EMPTY, utterance: 5, audio_start_ms: at, audio_end_ms: at });
    stream.close();
    await stream.closed;
    expect(stream.events.filter(({ type }) => type === 'final')).toHaveLength(5);
  });

  test('is numbered, and its times count from the start of the stream', async () => {
    const { stream } = await stage.ready();
    stream.audio(pcm);
    stream.send(FLUSH);
    stream.audio(pcm);
    stream.send(FLUSH);
    const [first, second] = [await stream.next('final'), await stream.next('final')];
    const length = msOf(pcm.length);
    expect([first.utterance, first.audio_start_ms, first.audio_end_ms]).toEqual([1, 0, length]);
    expect([second.utterance, second.audio_start_ms, second.audio_end_ms]).toEqual([2, length, msOf(pcm.length * 2)]);
    expect(second.text).toBe(first.text);
    expect(second.words.map(({ start_ms: ms }) => ms - length)).toEqual(first.words.map(({ start_ms: ms }) => ms));
    for (const { words, audio_start_ms: start, audio_end_ms: end } of [first, second]) {
      const times = words.flatMap((word) => [word.start_ms, word.end_ms]);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.every((ms) => ms >= start && ms <= end)).toBe(true);
    }
    const deltas = stream.events.filter((event) => event.type === 'delta');
    expect(deltas.findLast(({ utterance }) => utterance === 1)!.audio_end_ms).toBeLessThanOrEqual(length);
    expect(deltas.find(({ utterance }) => utterance === 2)!.audio_end_ms).toBeGreaterThan(length);
    const order = stream.events.flatMap((event) => ('utterance' in event ? [event.utterance] : []));
    expect(order).toEqual([...order].sort());
    const ends = deltas.map(({ audio_end_ms: ms }) => ms);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
    stream.close();
  });

  test('is dropped without a final by a reset, and its audio is still billed', async () => {
    const opened = await stage.ready();
    const { stream } = opened;
    stream.audio(pcm);
    await stream.next('delta');
    stream.send(RESET);
    expect(await stream.next('reset_ack')).toEqual({ type: 'reset_ack', utterance: 2 });
    const eventCount = stream.events.length;
    stream.send(RESET);
    expect(await stream.next('reset_ack')).toEqual({ type: 'reset_ack', utterance: 3 });
    stream.send(FLUSH);
    const at = msOf(pcm.length);
    expect(await stream.next('final')).toEqual({ ...EMPTY, utterance: 3, audio_start_ms: at, audio_end_ms: at });
    expect(stream.events.slice(eventCount).map(({ type }) => type)).toEqual(['reset_ack', 'final']);
    stream.audio(pcm);
    stream.send(FLUSH);
    expect(await stream.next('final')).toMatchObject({ utterance: 4, audio_start_ms: at });
    stream.close();
    const samples = pcm.length;
    expect(await stage.settled(opened)).toMatchObject({
      audioMs: Math.ceil(samples / 16),
      billableMs: Math.ceil(samples / 16_000) * 1000,
    });
  });

  test('that was flushed still gets its final if the next utterance is reset', async () => {
    const { stream } = await stage.ready();
    stream.audio(pcm);
    stream.send(FLUSH);
    stream.audio(pcm);
    stream.send(RESET);
    stream.audio(pcm);
    stream.send(FLUSH);
    expect(await stream.next('final')).toMatchObject({ utterance: 1 });
    expect(await stream.next('reset_ack')).toEqual({ type: 'reset_ack', utterance: 3 });
    expect(await stream.next('final')).toMatchObject({ utterance: 3, audio_start_ms: msOf(pcm.length * 2) });
    stream.close();
  });
});

describe('the reservation of a stream', () => {
  test.each([
    ['the first frame uses it up and a second frame follows', [32_000, 32_000]],
    ['it ends in the middle of a frame', [31_998, 6400]],
    ['it ends exactly with a frame', [16_000, 16_000]],
    ['the last frame has one sample', [31_998, 2]],
    ['many more frames follow', Array<number>(20).fill(6400)],
  ])('can be used to the last sample when %s, and then a final and close code 1000 follow', async (_how, frames) => {
    const opened = await stage.ready(1);
    const { stream } = opened;
    for (const bytes of frames) stream.socket.send(Buffer.alloc(bytes));
    stream.send(FLUSH);
    expect(await stream.closed).toEqual({ code: 1000, reason: 'audio_limit_reached' });
    const finals = stream.events.filter(({ type }) => type === 'final');
    expect(finals).toMatchObject([{ utterance: 1, audio_start_ms: 0, audio_end_ms: 1000 }]);
    expect(stream.events.at(-1)!.type).toBe('final');
    expect(await stage.settled(opened)).toMatchObject({
      state: 'completed',
      audioMs: 1000,
      billableMs: 1000,
      balance: { reservedMs: 0, consumedMs: 1000, availableMs: CREDIT_MS - 1000 },
    });
  });

  test('does not end the stream while one sample of the reservation remains', async () => {
    const opened = await stage.ready(1);
    opened.stream.socket.send(Buffer.alloc(31_998));
    opened.stream.send(FLUSH);
    expect(await opened.stream.next('final')).toMatchObject({ utterance: 1, audio_end_ms: 1000 });
    opened.stream.send({ type: 'config' });
    await opened.stream.next('config_ack');
    opened.stream.socket.send(Buffer.alloc(2));
    expect(await opened.stream.next('final')).toMatchObject({ utterance: 2, audio_start_ms: 1000, audio_end_ms: 1000 });
    expect(await opened.stream.closed).toEqual({ code: 1000, reason: 'audio_limit_reached' });
    expect(await stage.settled(opened)).toMatchObject({ audioMs: 1000, billableMs: 1000 });
  });
});
