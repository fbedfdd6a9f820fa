import { eventually } from '../support/eventually.ts';
import { decodePhone, encodePhone } from '../support/g711.ts';
import { MODEL, startGateway } from '../support/gateway.ts';
import { COMPLETED, connectRealtime, resample } from '../support/realtime-client.ts';
import { recording, recordings } from '../support/recording.ts';
import { wordErrorRate } from '../support/word-errors.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Caller, Stage } from './stage.ts';

const SILENCE_BYTES = 48_000;
const PCM_16_KHZ = { type: 'audio/pcm', rate: 16_000 };
const QUERY = `intent=transcription&model=${MODEL}`;

/**
 * About 49 s of speech, whose transcripts differ between contexts. Before `ready`, a session holds at most 60 s of
 * audio.
 */
const longPcm = Buffer.concat(recordings(MODEL).map(({ pcm }) => pcm));

let stage: Stage;
/** Transcript of `longPcm`, which was sent before the model had a worker. */
let early: string | undefined;
beforeAll(async () => {
  stage = await setStage({ workers: [] });
  const client = await connectRealtime(stage.gateway, (await stage.caller()).key, { query: QUERY });
  await client.update({ format: PCM_16_KHZ, turn_detection: null });
  client.append(longPcm);
  client.commit();
  await stage.startWorker();
  early = (await client.next(COMPLETED)).transcript;
  client.close();
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

/**
 * Returns the transcript of a recording on the native stream. The default of `context` is the context that the Realtime
 * delay `medium` selects.
 */
async function nativeText(caller: Caller, pcm: Buffer, context = [56, 3]): Promise<string> {
  const { stream } = await stage.connect(60, { caller });
  await stream.next('ready');
  stream.send({ type: 'config', context });
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  const { text } = await stream.next('final');
  stream.close();
  await stage.settled(caller);
  return text;
}

test('with server VAD, all events of a turn of 24 kHz audio have the same item id, and the deltas add up to the transcript', async () => {
  const caller = await stage.caller();
  const { pcm } = recording();
  const client = await connectRealtime(stage.gateway, caller.key);
  expect((await client.next('session.created')).session?.audio.input).toMatchObject({
    format: { type: 'audio/pcm', rate: 24_000 },
    turn_detection: { type: 'server_vad', silence_duration_ms: 500 },
  });
  const { session } = await client.update({
    transcription: { model: MODEL, language: 'en', prompt: 'ignored' },
    turn_detection: { type: 'server_vad', threshold: 0.3, silence_duration_ms: 2000 },
  });
  expect(session?.audio.input).toMatchObject({
    transcription: { model: MODEL, language: 'ki', delay: 'medium' },
    turn_detection: { silence_duration_ms: 2000 },
  });
  client.append(resample(pcm, 24_000));
  client.append(Buffer.alloc(4 * SILENCE_BYTES));
  const completed = await client.next(COMPLETED);
  const types = new Set(client.events.map(({ type }) => type));
  expect([...types].filter((type) => type !== COMPLETED).sort()).toEqual([
    'conversation.item.input_audio_transcription.delta',
    'input_audio_buffer.committed',
    'input_audio_buffer.speech_started',
    'input_audio_buffer.speech_stopped',
    'session.created',
    'session.updated',
  ]);
  const items = new Set(client.events.flatMap(({ item_id }) => item_id ?? []));
  expect([...items]).toEqual([completed.item_id]);
  expect(client.deltasOf(completed.item_id)).toBe(completed.transcript);
  expect(completed.usage).toEqual({ type: 'duration', seconds: expect.any(Number) });
  client.close();
  const settled = await stage.settled(caller);
  expect(settled.audioMs).toBeGreaterThan(pcm.length / 32);
  const text = await nativeText(await stage.caller(), pcm);
  // The test and the gateway have each resampled the audio, which changes at most one word.
  expect(wordErrorRate([text], [completed.transcript ?? ''])).toBeLessThan(10);
});

test('a connection uses the context of the default delay even if it was opened before the model had a worker', async () => {
  const text = await nativeText(await stage.caller(), longPcm);
  expect(text).not.toBe(await nativeText(await stage.caller(), longPcm, [56, 13]));
  expect(early).toBe(text);
});

test.each([
  ['audio/pcmu', 'mulaw'],
  ['audio/pcma', 'alaw'],
] as const)(
  'a realtime connection with %s returns the same transcript as a native stream of the decoded audio',
  async (type, encoding) => {
    const caller = await stage.caller();
    const audio = encodePhone(recording().pcm, encoding);
    const text = await nativeText(caller, decodePhone(audio, encoding));
    const client = await connectRealtime(stage.gateway, caller.key, { query: QUERY });
    await client.update({ format: { type }, turn_detection: null });
    client.append(audio, 160);
    client.commit();
    expect(await client.next(COMPLETED)).toMatchObject({
      transcript: text,
      usage: { seconds: Math.ceil(audio.length / 8) / 1000 },
    });
    client.close();
  },
);

test('a commit without turn detection returns the same transcript as a native stream', async () => {
  const caller = await stage.caller();
  const { pcm } = recording();
  const text = await nativeText(caller, pcm);
  const client = await connectRealtime(stage.gateway, caller.key, { query: QUERY });
  await client.update({ format: PCM_16_KHZ, turn_detection: null });
  client.append(pcm);
  client.commit();
  const { item_id: id } = await client.next('input_audio_buffer.committed');
  const completed = await client.next(COMPLETED);
  expect(completed).toMatchObject({
    item_id: id,
    transcript: text,
    usage: { seconds: Math.ceil(pcm.length / 32) / 1000 },
  });
  client.append(pcm);
  client.commit();
  expect(await client.next('input_audio_buffer.committed')).toMatchObject({ previous_item_id: id });
  expect(await client.next(COMPLETED)).toMatchObject({ transcript: text });
  client.close();
});

test.each([
  ['no key', undefined, {}, 401, 'missing_api_key'],
  ['an unknown model', 'key', { query: 'intent=transcription&model=gpt-4o-transcribe' }, 404, 'model_not_found'],
  ['no intent', 'key', { query: `model=${MODEL}` }, 400, 'invalid_parameters'],
  [
    'an invalid key in a subprotocol',
    'key',
    { protocols: ['realtime', 'openai-insecure-api-key.x'] },
    401,
    'invalid_api_key',
  ],
])('a handshake with %s is refused with an HTTP error', async (_name, key, options, status, code) => {
  const caller = await stage.caller();
  const handshake = connectRealtime(stage.gateway, key === undefined ? undefined : caller.key, options);
  await expect(handshake).rejects.toMatchObject({ status, code });
});

test('a message of more than 1 MiB is answered with an error and 1009', async () => {
  const caller = await stage.caller();
  const client = await connectRealtime(stage.gateway, caller.key, { query: QUERY });
  client.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: 'A'.repeat(1_048_576) }));
  expect((await client.next('error')).error?.code).toBe('message_too_large');
  expect(await client.closed).toMatchObject({ code: 1009 });
});

test('a realtime connection loses no text between its sessions, settles a session in a pause, and closes with 1013 if its gateway drains', async () => {
  const gateway = await startGateway(stage.redis.url, stage.prefix, {
    STREAM_IDLE_MS: '3000',
    CHAIN_PART_SECONDS: '3',
    STOP_GRACE_MS: '4000',
  });
  const caller = await stage.caller();
  const { pcm } = recording();
  const client = await connectRealtime(gateway, caller.key, { query: QUERY });
  await client.update({ format: PCM_16_KHZ, turn_detection: null });
  const transcribe = async () => {
    client.append(pcm);
    client.commit();
    return (await client.next(COMPLETED)).transcript;
  };
  const text = await transcribe();
  const recent = async () => (await stage.ledger.accounts.usage(caller.tenant))!.recent;
  await eventually('all sessions of the chain are settled', 30_000, async () =>
    (await recent()).every(({ state }) => state === 'completed') ? true : undefined,
  );
  const seconds = Math.ceil(pcm.length / 32_000);
  const billed = (await recent()).map(({ billableMs }) => billableMs / 1000).reduce((sum, part) => sum + part);
  expect([billed, (await recent()).length]).toEqual([seconds, Math.ceil(seconds / 3)]);
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  expect(await transcribe()).toBe(text);
  await gateway.stop();
  expect((await client.closed).code).toBe(1013);
  expect(text).toBe(await nativeText(await stage.caller(), pcm));
});

test('a realtime connection is closed with 1000 at the end of its lifetime', async () => {
  const gateway = await startGateway(stage.redis.url, stage.prefix, { REALTIME_LIFETIME_MS: '1000' });
  const caller = await stage.caller();
  const client = await connectRealtime(gateway, caller.key, { query: QUERY });
  expect(await client.closed).toEqual({ code: 1000, reason: 'session_time_limit' });
  await gateway.stop();
});

test('a revoked key keeps its current session, and cannot start another one on the open connection', async () => {
  const gateway = await startGateway(stage.redis.url, stage.prefix, { STREAM_IDLE_MS: '1000' });
  const caller = await stage.caller();
  const client = await connectRealtime(gateway, caller.key, { query: QUERY });
  await client.update({ format: PCM_16_KHZ, turn_detection: null });
  client.append(Buffer.alloc(32_000));
  client.commit();
  await client.next('input_audio_buffer.committed');
  await stage.ledger.apiKeys.revoke(caller.keyId);
  await client.next(COMPLETED);
  await stage.settled(caller);
  client.append(Buffer.alloc(3200));
  expect((await client.next('error')).error?.code).toBe('revoked_api_key');
  expect(await client.closed).toEqual({ code: 1008, reason: 'revoked_api_key' });
  await gateway.stop();
});
