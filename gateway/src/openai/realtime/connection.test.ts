import { ApiError, checker, REALTIME_SERVER_EVENTS } from '@svc-asr/core';
import type { ContextSize, ServerMessage } from '@svc-asr/core';
import type { StreamClient } from '../../stream/client/client.ts';
import type { OpenedStream } from '../../stream/opened-stream.ts';
import { Connection } from './connection.ts';
import { nextTurn, openScripted, ScriptedStream, startScripted } from './testing/scripted-stream.ts';

const MODEL = 'svc-asr-kikuyu-v1';
const PCM = Buffer.alloc(480);

interface SentEvent {
  type: string;
  item_id?: string;
  error?: { code: string; event_id: string | null; param: string | null };
  [field: string]: unknown;
}

/** A stream that ends and is settled as soon as the recognizer requests the end of the stream. */
class EndingStream extends ScriptedStream {
  override endWithFinal({ reason }: { reason: string }): void {
    super.endWithFinal({ reason });
    this.client.close(1000, reason);
    this.settle();
  }
}

function final(text: string, fields: object = {}): ServerMessage {
  return { type: 'final', text, utterance: 1, audio_start_ms: 0, audio_end_ms: 10, words: [], ...fields };
}

const ALL_CONTEXTS = [13, 6, 3, 1, 0].map((right): ContextSize => [56, right]);

interface ConnectionOptions {
  model?: string | undefined;
  idleMs?: number;
  refusal?: Error;
  /** Contexts that are known before a worker has opened the stream. */
  contexts?: readonly ContextSize[];
}

const CHECKS = new Map(Object.entries(REALTIME_SERVER_EVENTS).map(([type, schema]) => [type, checker(schema)]));

/** Parses an event. Throws if the fields of the event differ from the fields in the AsyncAPI document. */
function parseDescribed(text: string): SentEvent {
  const event = JSON.parse(text) as SentEvent;
  expect(CHECKS.get(event.type)?.(event)).toEqual({ ok: true, value: event });
  return event;
}

/** Creates a connection whose streams are scripted by the test. */
function createConnection(options: ConnectionOptions = {}) {
  let contexts = options.contexts ?? ALL_CONTEXTS;
  const events: SentEvent[] = [];
  const state = { closed: undefined as [number, string] | undefined, isReading: true, shares: 0 };
  const streams: ScriptedStream[] = [];
  const open = (_model: string, client: StreamClient): Promise<OpenedStream> => {
    if (options.refusal !== undefined) return Promise.reject(options.refusal);
    return openScripted(streams, new EndingStream(client));
  };
  const connection = new Connection(
    {
      requireModel: (model) => {
        if (model !== MODEL) throw new ApiError('model_not_found');
      },
      languageOf: () => 'ki',
      contextsOf: () => contexts,
      refreshContexts: () => {
        contexts = ALL_CONTEXTS;
        return Promise.resolve();
      },
      takeMemory: () => {
        state.shares++;
        return { audioMs: 0, resize: () => true, release: () => undefined };
      },
      open,
      idleMs: options.idleMs ?? 60_000,
      extraMs: 60_000,
      lifetimeMs: 3_600_000,
    },
    {
      send: (text) => events.push(parseDescribed(text)),
      read: (on) => (state.isReading = on),
      close: (...closing) => (state.closed = closing),
    },
    'model' in options ? options.model : MODEL,
  );
  opened.push(connection);
  const send = (event: object | string) =>
    connection.receive(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)), false);
  const append = (bytes = PCM) => send({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') });
  const update = (input: object) =>
    send({ type: 'session.update', session: { type: 'transcription', audio: { input } } });
  const types = () => events.map(({ type }) => type.split('.').at(-1));
  const start = () => startScripted(streams, append);
  return { connection, events, state, streams, send, append, update, types, start };
}

const opened: Connection[] = [];
afterEach(() => {
  for (const connection of opened.splice(0)) connection.onClosed(1000);
});

describe('session.update', () => {
  test('merges fields, ignores prompt, noise_reduction and threshold, and clamps silence_duration_ms to the allowed range', () => {
    const { events, update } = createConnection({ model: undefined });
    update({ transcription: { model: MODEL, prompt: 'x', language: 'en' }, noise_reduction: { type: 'near_field' } });
    update({ turn_detection: { type: 'server_vad', silence_duration_ms: 50, threshold: 0.9 } });
    update({ format: { type: 'audio/pcmu' } });
    expect(events.at(-1)).toMatchObject({
      type: 'session.updated',
      session: {
        audio: {
          input: {
            format: { type: 'audio/pcmu' },
            transcription: { model: MODEL, language: 'ki', delay: 'medium' },
            turn_detection: { type: 'server_vad', silence_duration_ms: 200 },
          },
        },
      },
    });
  });

  test.each([
    ['minimal', 0],
    ['low', 1],
    ['medium', 3],
    ['high', 6],
    ['xhigh', 13],
  ])('with delay %s selects the context with %d frames of right context', async (delay, right) => {
    const { update, start } = createConnection();
    update({ transcription: { delay }, turn_detection: null });
    const { texts } = await start();
    expect(texts).toEqual([{ type: 'config', context: [56, right] }]);
  });

  test('without a change sends nothing to the stream, and with a change flushes the utterance before it sends the new configuration', async () => {
    const { update, start } = createConnection();
    const { texts } = await start();
    update({ turn_detection: { type: 'server_vad', silence_duration_ms: 500 } });
    expect(texts).toHaveLength(1);
    update({ turn_detection: null });
    expect(texts.slice(1)).toEqual([{ type: 'flush' }, { type: 'config', context: [56, 3] }]);
  });

  test('with an unknown model sends an error event and closes the connection with 1008', () => {
    const { events, state, update } = createConnection({ model: undefined });
    update({ transcription: { model: 'gpt-4o-transcribe' } });
    expect(events.at(-1)?.error?.code).toBe('model_not_found');
    expect(state.closed).toEqual([1008, 'model_not_found']);
  });
});

test('if the contexts of the model are not known yet, a connection requests the context that matches the delay only after a worker has opened the stream', async () => {
  const { start } = createConnection({ contexts: [[56, 13]] });
  const stream = await start();
  const endpointing = { silence_ms: 500 };
  expect(stream.texts).toEqual([13, 3].map((right) => ({ type: 'config', context: [56, right], endpointing })));
  expect(stream.audioBytes).toBeGreaterThan(0);
});

describe('appended audio', () => {
  test('is held until the model is known, and is then sent to the stream with the new configuration', async () => {
    const { append, update, streams } = createConnection({ model: undefined });
    append();
    await nextTurn();
    expect(streams).toHaveLength(0);
    update({ format: { type: 'audio/pcm', rate: 16_000 }, transcription: { model: MODEL }, turn_detection: null });
    await nextTurn();
    streams[0]?.client.send({ type: 'ready' } as ServerMessage);
    await nextTurn();
    expect(streams[0]?.texts).toEqual([{ type: 'config', context: [56, 3] }]);
    expect(streams[0]?.audioBytes).toBeGreaterThan(0);
  });

  test('over the limit of held audio makes the gateway stop reading from the client, or close the connection if the model is unknown', () => {
    const known = createConnection();
    const unknown = createConnection({ model: undefined });
    const part = Buffer.alloc(640_000);
    for (let i = 0; i < 3; i++) for (const { append } of [known, unknown]) append(part);
    expect([known.state.isReading, known.state.closed]).toEqual([false, undefined]);
    expect(unknown.state.closed).toEqual([1008, 'missing_model']);
  });

  test('after an idle timeout starts another session, whose items follow the items of the earlier session', async () => {
    const { start, events, streams, append, state } = createConnection({ idleMs: 1000 });
    const first = await start();
    first.client.send(final('one', { endpoint: true, audio_end_ms: 10 }));
    while (first.reason === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    append();
    await nextTurn();
    expect(state.closed).toBeUndefined();
    streams[1]?.client.send(final('two', { endpoint: true }));
    const committed = events.filter(({ type }) => type === 'input_audio_buffer.committed');
    expect(committed[1]?.previous_item_id).toBe(committed[0]?.item_id);
  });

  test.each([
    ['insufficient_credits', 1008, ['created', 'error']],
    ['account_inactive', 1008, ['created', 'error']],
    ['no_capacity', 1013, ['created']],
    ['concurrency_limit_exceeded', 1013, ['created']],
  ] as const)(
    'if the session of the audio is refused with %s, the connection is closed with code %d',
    async (code, closeCode, sent) => {
      const { append, state, types } = createConnection({ refusal: new ApiError(code) });
      append();
      await nextTurn();
      expect(state.closed).toEqual([closeCode, code]);
      expect(types()).toEqual(sent);
    },
  );

  test.each([
    ['draining', [1013, 'draining']],
    ['internal_error', [1013, 'internal_error']],
    ['account_suspended', [1008, 'account_suspended']],
    ['audio_limit_reached', [1008, 'insufficient_credits']],
    ['cancelled', [1000, 'cancelled']],
  ])(
    'if the stream of the audio ends with %s, the connection is closed with code and reason %j',
    async (reason, closed) => {
      const { start, state } = createConnection();
      (await start()).client.close(1011, reason);
      expect(state.closed).toEqual(closed);
    },
  );
});

describe('the events of a turn', () => {
  test('with server VAD have the same item id, and each delta contains only new text', async () => {
    const { start, events, types } = createConnection();
    const { client } = await start();
    client.send({ type: 'speech_started', utterance: 1, audio_start_ms: 1 });
    for (const text of ['wĩ', 'wĩ mwega', 'other']) client.send({ type: 'delta', text, utterance: 1, audio_end_ms: 5 });
    client.send({ type: 'speech_ended', utterance: 1, audio_end_ms: 9 });
    client.send(final('wĩ mwega mũno', { endpoint: true }));
    expect(types().slice(1)).toEqual([
      ...['speech_started', 'delta', 'delta', 'speech_stopped', 'committed', 'delta', 'completed'],
    ]);
    expect(new Set(events.slice(1).map(({ item_id }) => item_id)).size).toBe(1);
    expect(events.flatMap(({ delta }) => delta ?? [])).toEqual(['wĩ', ' mwega', ' mũno']);
    expect(events.at(-1)).toMatchObject({ transcript: 'wĩ mwega mũno', usage: { type: 'duration', seconds: 0.01 } });
  });

  test('are sent in the order of the commits and with the item ids of the commits if the client commits turns itself', async () => {
    const { start, append, send, update, events } = createConnection();
    update({ turn_detection: null });
    const { client } = await start();
    send({ type: 'input_audio_buffer.commit' });
    append();
    send({ type: 'input_audio_buffer.commit' });
    const ids = events.filter(({ type }) => type.endsWith('committed')).map(({ item_id }) => item_id);
    client.send(final('one'));
    client.send(final(''));
    const completed = events.filter(({ type }) => type.endsWith('completed'));
    expect(completed.map(({ item_id, transcript }) => [item_id, transcript])).toEqual([
      [ids[0], 'one'],
      [ids[1], ''],
    ]);
  });

  const idOf = (event: SentEvent | undefined) => event?.item_id;
  const COMMIT = { type: 'input_audio_buffer.commit' };
  const CLEAR = { type: 'input_audio_buffer.clear' };
  const delta = (text: string): ServerMessage => ({ type: 'delta', text, utterance: 1, audio_end_ms: 5 });

  test('keep their item if a new configuration ends the turn, and a later commit gets another item', async () => {
    const { start, append, send, update, events } = createConnection();
    update({ turn_detection: null });
    const { client, texts } = await start();
    client.send(delta('one'));
    const first = idOf(events.at(-1));
    update({ transcription: { delay: 'high' } });
    append();
    send(COMMIT);
    const second = idOf(events.at(-1));
    expect(texts).toEqual([
      { type: 'config', context: [56, 3] },
      { type: 'flush' },
      { type: 'config', context: [56, 6] },
      { type: 'flush' },
    ]);
    for (const message of [delta('one more'), final('one more'), delta('two'), final('two')]) client.send(message);
    const completed = events.filter(({ type }) => type.endsWith('completed'));
    expect(completed.map(({ item_id, transcript }) => [item_id, transcript])).toEqual([
      [first, 'one more'],
      [second, 'two'],
    ]);
    const deltas = events.filter(({ type }) => type.endsWith('delta'));
    expect(deltas.map(idOf)).toEqual([first, first, second]);
    expect(first).not.toBe(second);
  });

  test('keep their item after the audio of the turn was cleared, and a commit of later audio gets another item', async () => {
    const { start, append, send, update, events } = createConnection();
    update({ turn_detection: null });
    const { client } = await start();
    client.send(delta('one'));
    const cleared = idOf(events.at(-1));
    send(CLEAR);
    append();
    send(COMMIT);
    const committed = idOf(events.at(-1));
    client.send(delta('one more'));
    expect(idOf(events.at(-1))).toBe(cleared);
    client.send({ type: 'reset_ack', utterance: 2 });
    client.send(final('two'));
    expect(events.at(-1)).toMatchObject({ item_id: committed, transcript: 'two' });
    expect(committed).not.toBe(cleared);
  });

  test('consist of one error event if the client commits after all audio was transcribed or cleared', async () => {
    const { start, append, send, update, events, types } = createConnection();
    update({ format: { type: 'audio/pcm', rate: 16_000 } });
    const { client } = await start();
    client.read(false);
    append();
    send(CLEAR);
    client.read(true);
    await nextTurn();
    client.send({ type: 'reset_ack', utterance: 2 });
    append();
    client.send(final('one', { endpoint: true, audio_end_ms: 30 }));
    expect(types().at(-1)).toBe('completed');
    send(COMMIT);
    expect(events.at(-1)?.error?.code).toBe('input_audio_buffer_commit_empty');
  });

  test('are not sent if the service found no speech in the turn', async () => {
    const { start, types } = createConnection();
    (await start()).client.send(final(''));
    expect(types()).toEqual(['created']);
  });

  test('consist of one `cleared` event if the client clears the audio, even if there is no session', async () => {
    const { send, start, types } = createConnection();
    send({ type: 'input_audio_buffer.clear' });
    expect(types()).toEqual(['created', 'cleared']);
    const { texts, client } = await start();
    send({ type: 'input_audio_buffer.clear' });
    expect(texts.at(-1)).toEqual({ type: 'reset' });
    client.send({ type: 'reset_ack', utterance: 2 });
    expect(types()).toEqual(['created', 'cleared', 'cleared']);
  });
});

describe('invalid events', () => {
  const APPEND = 'input_audio_buffer.append';
  test.each([
    ['text that is not JSON', '{', 'invalid_json'],
    ['a JSON array', '[]', 'invalid_json'],
    ['an unknown type', { type: 'response.create' }, 'unknown_event'],
    ['the update of the beta interface', { type: 'transcription_session.update' }, 'unknown_event'],
    ['audio that is not a string', { type: APPEND, audio: 1 }, 'invalid_audio'],
    ['audio that is not base64', { type: APPEND, audio: 'AA*A' }, 'invalid_audio'],
    ['audio with an odd number of bytes', { type: APPEND, audio: 'AAAA' }, 'invalid_audio'],
    ['an unsupported sample rate', pcm(44_100), 'invalid_value'],
    ['PCM at 8 kHz', pcm(8000), 'invalid_value'],
    ['a session of another type', { type: 'session.update', session: { type: 'realtime' } }, 'invalid_value'],
    ['a session update without a session', { type: 'session.update' }, 'invalid_value'],
    ['a commit without audio', { type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty'],
  ])('with %s are answered with an error event, and the connection stays open', (_name, event, code) => {
    const { send, events, state } = createConnection();
    send(typeof event === 'string' ? event : { ...event, event_id: 'mine' });
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: { code, event_id: typeof event === 'string' || code === 'unknown_event' ? null : 'mine' },
    });
    expect(state.closed).toBeUndefined();
  });

  function pcm(rate: number) {
    return { type: 'session.update', session: { audio: { input: { format: { type: 'audio/pcm', rate } } } } };
  }

  test('close the connection with 1008 at the tenth invalid event', () => {
    const { send, state } = createConnection();
    for (let i = 1; i < 10; i++) send('{');
    expect(state.closed).toBeUndefined();
    send('{');
    expect(state.closed).toEqual([1008, 'invalid_json']);
  });

  test('include events over the rate limit, and too many of them close the connection. Appended audio does not count against this limit', () => {
    const { send, append, events, state } = createConnection();
    for (let i = 0; i < 200; i++) append(PCM.subarray(0, 2));
    for (let i = 0; i < 45; i++) send({ type: 'input_audio_buffer.clear' });
    const codes = events.flatMap(({ error }) => error?.code ?? []);
    expect(new Set(codes)).toEqual(new Set(['rate_limited']));
    expect(state.closed).toBeUndefined();
    for (let i = 0; i < 40; i++) send({ type: 'input_audio_buffer.clear' });
    expect(state.closed).toEqual([1008, 'rate_limited']);
  });

  test('that are too large close the connection with 1009 after an error event', () => {
    const { connection, events, state } = createConnection();
    connection.onProtocolError(1009);
    expect(events.at(-1)?.error?.code).toBe('message_too_large');
    expect(state.closed).toEqual([1009, 'message_too_large']);
  });
});
