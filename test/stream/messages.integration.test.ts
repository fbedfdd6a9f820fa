import type { ServerMessage } from '@svc-asr/core';
import { recording } from '../support/recording.ts';
import type { StreamClient } from '../support/stream-client.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const { pcm } = recording();
const ACK = { type: 'config_ack', language: 'ki', context_size: [56, 13], chunk_samples: 17_920 };
const SMALL_ACK = { ...ACK, context_size: [56, 3], chunk_samples: 5120 };

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

async function error(stream: StreamClient): Promise<[string, boolean]> {
  const { code, fatal, message } = await stream.next('error');
  expect(message).not.toBe('');
  return [code, fatal];
}

/** Returns the transcript of an utterance with this audio. */
async function transcribe(stream: StreamClient, audio: Buffer): Promise<string> {
  stream.audio(audio);
  stream.send({ type: 'flush' });
  return (await stream.next('final')).text;
}

describe('config', () => {
  test('that omits fields, or repeats the defaults of the model, returns the effective configuration', async () => {
    const { stream } = await stage.ready();
    const configs = [{}, { language: 'ki' }, { context: [56, 13] }, { language: 'ki', context: [56, 13], future: 1 }];
    for (const config of configs) {
      stream.send({ type: 'config', ...config });
      expect(await stream.next('config_ack')).toEqual(ACK);
    }
    stream.close();
  });

  test('with another context changes the chunk size for the following utterances and can be reverted', async () => {
    const { stream } = await stage.ready();
    const usual = await transcribe(stream, pcm);
    stream.send({ type: 'config', context: [56, 3] });
    expect(await stream.next('config_ack')).toEqual(SMALL_ACK);
    const before = stream.events.length;
    const small = await transcribe(stream, pcm);
    const deltas = stream.events.slice(before).filter(({ type }) => type === 'delta');
    expect(deltas.length).toBeGreaterThan(pcm.length / 2 / 17_920);
    expect(await transcribe(stream, pcm)).toBe(small);
    stream.send({ type: 'config', context: [56, 13] });
    expect(await stream.next('config_ack')).toEqual(ACK);
    expect(await transcribe(stream, pcm)).toBe(usual);
    stream.close();
  });

  test('with endpointing is confirmed in config_ack, and a config without endpointing turns endpointing off', async () => {
    const { stream } = await stage.ready();
    const endpointing = { silence_ms: 300 };
    stream.send({ type: 'config', endpointing });
    expect(await stream.next('config_ack')).toEqual({ ...ACK, endpointing });
    stream.send({ type: 'config', endpointing: { silence_ms: 199 } });
    expect(await error(stream)).toEqual(['invalid_config', false]);
    stream.send({ type: 'config', context: [56, 3], endpointing });
    expect(await stream.next('config_ack')).toEqual({ ...SMALL_ACK, endpointing });
    stream.send({ type: 'config' });
    expect(await stream.next('config_ack')).toEqual(ACK);
    await transcribe(stream, Buffer.concat([pcm, Buffer.alloc(64_000)]));
    expect(stream.events.filter(({ type }) => type.startsWith('speech'))).toEqual([]);
    stream.close();
  });

  test('with an unsupported language or context is refused and changes nothing', async () => {
    const { stream } = await stage.ready();
    const wrong = [
      { language: 'luo' },
      { language: 'Kikuyu' },
      { language: 'KI' },
      { language: '' },
      { language: 7 },
      { context: [56, 2] },
      { context: [57, 13] },
      { context: [56, 3], language: 'luo' },
      { context: [56] },
      { context: [56, 13, 0] },
      { context: [56, -1] },
      { context: [56, 13.5] },
      { context: '56,13' },
    ];
    for (const config of wrong) {
      stream.send({ type: 'config', ...config });
      expect([config, await error(stream)]).toEqual([config, ['invalid_config', false]]);
    }
    stream.send({ type: 'config' });
    expect(await stream.next('config_ack')).toEqual(ACK);
    expect(await transcribe(stream, pcm)).not.toBe('');
    stream.close();
  });

  test('is refused after audio of the utterance was accepted, and accepted again after flush and reset', async () => {
    const { stream } = await stage.ready();
    for (const end of ['flush', 'reset']) {
      stream.audio(pcm.subarray(0, 2));
      for (const config of [{}, { context: [56, 3] }]) {
        stream.send({ type: 'config', ...config });
        expect(await error(stream)).toEqual(['config_not_allowed', false]);
      }
      stream.send({ type: end });
      stream.send({ type: 'config', context: [56, 3] });
      expect(await stream.next('config_ack')).toEqual(SMALL_ACK);
      stream.send({ type: 'config', context: [56, 13] });
      expect(await stream.next('config_ack')).toEqual(ACK);
    }
    stream.close();
  });

  test('is still accepted after a refused audio frame', async () => {
    const { stream } = await stage.ready();
    stream.socket.send(Buffer.alloc(3));
    stream.socket.send(Buffer.alloc(0));
    stream.send({ type: 'config' });
    expect(await stream.next('config_ack')).toEqual(ACK);
    stream.close();
  });

  test('is applied in order with messages that are sent right after it', async () => {
    const { stream } = await stage.ready();
    const usual = await transcribe(stream, pcm);
    stream.send({ type: 'config', context: [56, 3] });
    const small = await transcribe(stream, pcm);
    stream.audio(pcm);
    stream.send({ type: 'flush' });
    stream.send({ type: 'config', context: [56, 13] });
    stream.audio(pcm);
    stream.send({ type: 'flush' });
    stream.send({ type: 'config', context: [1, 1] });
    stream.audio(pcm);
    stream.send({ type: 'flush' });
    const texts = [];
    for (let i = 0; i < 3; i++) texts.push((await stream.next('final')).text);
    expect(texts).toEqual([small, usual, usual]);
    const order = stream.events.map(({ type }) => type).filter((type) => type !== 'delta' && type !== 'status');
    expect(order).toEqual([
      ...['ready', 'final', 'config_ack', 'final'],
      ...['final', 'config_ack', 'final', 'error', 'final'],
    ]);
    stream.close();
  });
});

describe('an invalid message', () => {
  const INVALID = [
    'hello',
    '',
    '[]',
    'null',
    '"flush"',
    '{"type":"flush"',
    '{}',
    '{"type":"Flush"}',
    '{"type":"constructor"}',
    '{"type":"audio","data":"AAAA"}',
    JSON.stringify({ type: 'config', note: 'x'.repeat(16_384) }),
    'x'.repeat(131_072),
  ];
  /** Returns a config message of `bytes` bytes, which has only about half as many characters. */
  const ofSize = (bytes: number) => {
    const text = JSON.stringify({ type: 'config', note: 'é'.repeat(bytes / 2 - 32) });
    return text + ' '.repeat(bytes - Buffer.byteLength(text));
  };

  test.each(INVALID.map((text) => [text.slice(0, 30), text] as const))(
    '%j gets an error and the stream continues',
    async (_start, text) => {
      const { stream } = await stage.ready();
      stream.send(text);
      expect(await error(stream)).toEqual(['invalid_message', false]);
      stream.send({ type: 'flush' });
      expect(await stream.next('final')).toMatchObject({ text: '', utterance: 1 });
      stream.close();
    },
  );

  test('is any message of more than 16 KiB, but not one of exactly 16 KiB', async () => {
    const { stream } = await stage.ready();
    stream.send(ofSize(16_384));
    await stream.next('config_ack');
    stream.send(ofSize(16_385));
    expect(await error(stream)).toEqual(['invalid_message', false]);
    stream.close();
  });

  test('is tolerated nine times, and the tenth closes with 4400 and charges the accepted audio', async () => {
    const opened = await stage.ready();
    const { stream } = opened;
    stream.audio(Buffer.alloc(2));
    for (let sent = 0; sent < 9; sent++) {
      stream.send('?');
      stream.send({ type: 'config' });
      stream.send({ type: 'config', context: [] });
      stream.socket.send(Buffer.alloc(1));
    }
    stream.send({ type: 'flush' });
    expect((await stream.next('final')).audio_end_ms).toBe(1);
    expect(codes(stream.events)).toEqual(
      Array<string[]>(9)
        .fill(['invalid_message', 'config_not_allowed', 'invalid_config', 'invalid_audio_frame'])
        .flat(),
    );
    stream.send('?');
    expect(await error(stream)).toEqual(['invalid_message', true]);
    expect(await stream.closed).toEqual({ code: 4400, reason: 'invalid_message' });
    expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: 1, billableMs: 1000 });
  });

  test('makes the gateway ignore all later messages if it is the tenth invalid one', async () => {
    const opened = await stage.ready();
    for (let sent = 0; sent < 10; sent++) opened.stream.send('?');
    opened.stream.audio(pcm);
    opened.stream.send({ type: 'flush' });
    expect((await opened.stream.closed).code).toBe(4400);
    expect(opened.stream.events.at(-1)).toMatchObject({ type: 'error', fatal: true });
    expect(await stage.settled(opened)).toMatchObject({ audioMs: 0, billableMs: 0 });
  });

  test('that violates the WebSocket protocol gets an error before the close', async () => {
    const opened = await stage.ready();
    opened.stream.socket.send(Buffer.from([0xc3, 0x28]), { binary: false });
    expect(await error(opened.stream)).toEqual(['invalid_message', true]);
    expect(await opened.stream.closed).toEqual({ code: 4400, reason: 'invalid_message' });
    expect(await stage.settled(opened)).toMatchObject({ state: 'completed', billableMs: 0 });
  });
});

function codes(events: readonly ServerMessage[]): string[] {
  return events.flatMap((event) => (event.type === 'error' ? [event.code] : []));
}
