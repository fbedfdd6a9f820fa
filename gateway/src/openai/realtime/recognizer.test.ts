import type { ServerMessage } from '@svc-asr/core';
import { AudioBudget } from '../../stream/audio-memory/audio-budget.ts';
import { answerWithoutAudio } from './ends.ts';
import type { EndedBy } from './ends.ts';
import type { InputFormat } from './input-format.ts';
import { Recognizer } from './recognizer.ts';
import { nextTurn, openScripted, ScriptedStream, startScripted } from './testing/scripted-stream.ts';

const PCM: InputFormat = { type: 'audio/pcm', rate: 16_000 };
/** Size of the audio of the longest session: 300 s of 16,000 samples with two bytes each. */
const LONGEST_BYTES = 9_600_000;
/** Number of bytes that a connection reserves in the memory budget for held audio. */
const HELD_BYTES = 1_920_000;

const opened: Recognizer[] = [];
afterEach(() => {
  for (const recognizer of opened.splice(0)) recognizer.close(1000);
});

function createRecognizer({ isEnabled = true, idleMs = 60_000, extraMs = 60_000, budgetBytes = LONGEST_BYTES } = {}) {
  const streams: ScriptedStream[] = [];
  const answers: [string, EndedBy][] = [];
  const state = { failed: undefined as string | Error | undefined, isReading: true };
  const budget = new AudioBudget(budgetBytes);
  const recognizer = new Recognizer(
    {
      takeMemory: () => budget.take(),
      configuration: () => ({ context: [56, 3], silenceMs: undefined }),
      refreshConfiguration: () => Promise.resolve(),
      open: (client) => openScripted(streams, new ScriptedStream(client)),
      idleMs,
      extraMs,
    },
    {
      onMessage: (message, _offsetMs, endedBy) => answers.push([message.type, endedBy]),
      onPace: (isReading) => (state.isReading = isReading),
      onFailed: (reason) => (state.failed = reason),
    },
  );
  opened.push(recognizer);
  if (isEnabled) recognizer.enable();
  const append = (bytes = 320) => recognizer.append(Buffer.alloc(bytes), PCM);
  const start = () => startScripted(streams, append);
  return { recognizer, streams, answers, state, budget, append, start };
}

/** Waits until a timer of the recognizer has requested the end of the stream. */
async function untilEnding(stream: ScriptedStream): Promise<void> {
  while (stream.reason === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('memory of held audio', () => {
  test('is reserved for the first audio before the model is known, and is released when that audio is cleared', () => {
    const { recognizer, append, budget } = createRecognizer({ isEnabled: false });
    expect(budget.heldBytes).toBe(0);
    append();
    append();
    expect(budget.heldBytes).toBe(HELD_BYTES);
    recognizer.reset();
    expect(budget.heldBytes).toBe(0);
    append();
    expect(budget.heldBytes).toBe(HELD_BYTES);
    recognizer.close(1000);
    expect(budget.heldBytes).toBe(0);
  });

  test('is released when a stream is open, and is reserved again for audio that arrives while the stream ends', async () => {
    const { append, start, budget, streams } = createRecognizer({ idleMs: 1 });
    const stream = await start();
    expect(budget.heldBytes).toBe(0);
    await untilEnding(stream);
    append();
    expect(budget.heldBytes).toBe(HELD_BYTES);
    stream.client.close(1000, 'idle_timeout');
    stream.settle();
    await nextTurn();
    expect([streams.length, budget.heldBytes]).toEqual([2, 0]);
  });

  test('is required for the first audio; if no memory is free, the recognizer fails with service_unavailable, so that the client can retry', () => {
    const { append, state, streams } = createRecognizer({ isEnabled: false, budgetBytes: LONGEST_BYTES - 1 });
    append();
    expect(state.failed).toMatchObject({ code: 'service_unavailable' });
    expect(streams).toEqual([]);
  });
});

describe('before the model is known, a client', () => {
  test('is refused when it has sent 60 seconds of audio, even as single samples', () => {
    const { append, state } = createRecognizer({ isEnabled: false });
    for (let i = 1; i < HELD_BYTES / 2; i++) append(2);
    expect(state.failed).toBeUndefined();
    append(2);
    expect(state.failed).toBe('missing_model');
  });

  test('is refused when it has sent 1,000 commits', () => {
    const { recognizer, state } = createRecognizer({ isEnabled: false });
    for (let i = 1; i < 1000; i++) recognizer.flush();
    expect(state.failed).toBeUndefined();
    recognizer.flush();
    expect(state.failed).toBe('missing_model');
  });
});

describe('Recognizer', () => {
  test.each([
    ['finish', 'session_time_limit'],
    ['drain', 'draining'],
  ] as const)('without a session ends as soon as %s() is called, with the reason %s', (method, reason) => {
    const { recognizer, state } = createRecognizer();
    recognizer[method]();
    expect(state.failed).toBe(reason);
  });

  test('transcribes the buffered audio before it ends if finish() is called during a session', async () => {
    const { recognizer, start, state } = createRecognizer();
    const stream = await start();
    recognizer.finish();
    expect([stream.reason, state.failed]).toEqual(['session_time_limit', undefined]);
    stream.client.close(1000, 'session_time_limit');
    expect(state.failed).toBe('session_time_limit');
  });

  test('continues a session during which drain() is called, and then ends instead of starting another session', async () => {
    const { recognizer, append, start, state, streams } = createRecognizer({ idleMs: 1000 });
    const stream = await start();
    recognizer.drain();
    append();
    expect([stream.audioBytes, state.failed]).toEqual([640, undefined]);
    await untilEnding(stream);
    append();
    stream.client.close(1000, 'idle_timeout');
    expect([state.failed, streams.length]).toEqual(['draining', 1]);
  });

  test.each([
    ['finish', 'session_time_limit'],
    ['drain', 'draining'],
  ] as const)(
    'waits for the end of an idle session that is ending when %s() is called, and then ends with the reason %s',
    async (method, reason) => {
      const { recognizer, start, state } = createRecognizer({ idleMs: 1 });
      const stream = await start();
      await untilEnding(stream);
      recognizer[method]();
      expect(state.failed).toBeUndefined();
      stream.client.close(1000, 'idle_timeout');
      expect(state.failed).toBe(reason);
    },
  );

  test.each([
    ['finish', 'session_time_limit'],
    ['drain', 'draining'],
  ] as const)(
    'if %s() is called during a settlement, waits for the settlement and then ends with the reason %s',
    async (method, reason) => {
      const { recognizer, start, state, streams, append } = createRecognizer({ idleMs: 1 });
      const stream = await start();
      await untilEnding(stream);
      stream.client.close(1000, 'idle_timeout');
      recognizer[method]();
      append();
      stream.settle();
      await nextTurn();
      expect([state.failed, streams.length]).toEqual([reason, 1]);
    },
  );

  test('does not end when a session reaches its time limit, because another session follows', async () => {
    const { append, start, state, streams } = createRecognizer({ extraMs: 1 });
    const stream = await start();
    await untilEnding(stream);
    expect(stream.reason).toBe('session_time_limit');
    append();
    stream.client.close(1000, 'session_time_limit');
    stream.settle();
    await nextTurn();
    expect([state.failed, streams.length]).toEqual([undefined, 2]);
  });
});

describe('the final at the end of a session', () => {
  const FINAL = answerWithoutAudio('flush');

  test('does not answer a commit of audio that the client appended after the session started to end', async () => {
    const { recognizer, append, start, answers, streams } = createRecognizer({ idleMs: 1 });
    const first = await start();
    await untilEnding(first);
    append();
    recognizer.flush();
    first.client.send(FINAL);
    expect(answers.at(-1)).toEqual(['final', 'service']);
    first.client.close(1000, 'idle_timeout');
    first.settle();
    await nextTurn();
    streams[1]?.client.send({ type: 'ready' } as ServerMessage);
    await nextTurn();
    expect(streams[1]?.texts.map(({ type }) => type)).toEqual(['config', 'flush']);
    streams[1]?.client.send(FINAL);
    expect(answers.at(-1)).toEqual(['final', 'client']);
  });

  test('answers a commit of the client if no audio was appended after the session started to end', async () => {
    const { recognizer, start, answers } = createRecognizer({ idleMs: 1 });
    const stream = await start();
    await untilEnding(stream);
    recognizer.flush();
    stream.client.send(FINAL);
    stream.client.close(1000, 'idle_timeout');
    stream.settle();
    await nextTurn();
    expect(answers.filter(([type]) => type === 'final')).toEqual([['final', 'client']]);
  });
});

test('Recognizer answers a commit with a final and opens no stream if no audio was appended', () => {
  const { recognizer, answers, streams } = createRecognizer();
  recognizer.flush();
  expect(answers).toEqual([['final', 'client']]);
  expect(streams).toEqual([]);
});

test('Recognizer pauses reading from the client while it holds audio that the stream does not accept yet', async () => {
  const { append, start, state } = createRecognizer();
  const stream = await start();
  stream.client.read(false);
  append();
  expect([state.isReading, stream.audioBytes]).toEqual([false, 320]);
  stream.client.read(true);
  await nextTurn();
  expect([state.isReading, stream.audioBytes]).toEqual([true, 640]);
});
