import { FileClient } from '../../gateway/src/openai/file-client.ts';
import { untilPoolIsEmpty } from '../support/empty-pool.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL, seedTenant, startGateway } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import { wrapWav } from '../support/wav.ts';
import { createOwnStreams } from './own-streams.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Caller, Stage } from './stage.ts';

/**
 * Length of a part, which is the audio of one session of a chain. It is so short that the recording has several parts.
 */
const PART_SECONDS = 2;
const { pcm } = recording();
const SECONDS = Math.ceil(pcm.length / 32_000);
const FRAME_BYTES = 8000;
const PARTS = Math.ceil(SECONDS / PART_SECONDS);

let stage: Stage;
let streams: Awaited<ReturnType<typeof createOwnStreams>>;
/** Transcript of the recording if it is streamed in a single session. */
let text: string;
beforeAll(async () => {
  stage = await setStage({ gateway: { CHAIN_PART_SECONDS: String(PART_SECONDS) }, workers: [{}, {}, {}] });
  streams = await createOwnStreams(stage, PART_SECONDS * 1000);
  const { stream } = await stage.ready();
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  ({ text } = await stream.next('final'));
  stream.close();
}, STAGE_TIMEOUT_MS);
afterAll(async () => {
  await streams.stop();
  await stage.stop();
});

/** Waits until the sessions of a tenant have ended. Returns their states and charges, the oldest session first. */
async function settled(tenant: string) {
  return eventually('all sessions have ended', 30_000, async () => {
    const { balance, recent } = (await stage.ledger.accounts.usage(tenant))!;
    if (balance.reservedMs > 0 || recent.some(({ completedAtMs }) => completedAtMs === null)) return undefined;
    return { balance, sessions: recent.map(({ state, billableMs }) => [state, billableMs]).reverse() };
  });
}

/** The sessions of the whole recording: each but the last is full. */
const ALL_PARTS = Array.from({ length: PARTS }, (_, at) => [
  'completed',
  Math.min(PART_SECONDS, SECONDS - at * PART_SECONDS) * 1000,
]);

/** Yields the recording in frames. When half of a part is sent, calls `atPart` and waits until it resolves. */
async function* frames(atPart: (part: number) => Promise<void> = () => Promise.resolve()) {
  const halfParts = new Map(
    Array.from({ length: PARTS }, (_, part) => [(part + 0.5) * PART_SECONDS * 32_000, part] as const),
  );
  for (let at = 0; at < pcm.length; at += FRAME_BYTES) {
    const part = halfParts.get(at);
    if (part !== undefined) await atPart(part);
    yield pcm.subarray(at, at + FRAME_BYTES);
  }
  return undefined;
}

/** Streams the recording in a chain of sessions. */
async function chain(caller: Caller, audio: AsyncIterator<Buffer, undefined> = frames()) {
  const { id, websocket_protocols } = await stage.session(caller, PART_SECONDS);
  const client = new FileClient(audio);
  const created = { sessionId: id, credential: websocket_protocols[1] ?? '' };
  const { stream, settled: end } = await streams.open(created, client, { isChained: true });
  client.start(stream);
  const outcome = stream.ended;
  return { stream, client, outcome, end };
}

const worker = async () => {
  const listed = await stage.ledger.workers.list(MODEL);
  const busy = listed.find(({ active }) => active > 0);
  return stage.workers.find(({ id }) => id === busy?.id);
};

test('the recording of these tests has at least three parts and a transcript', () => {
  expect(PARTS).toBeGreaterThanOrEqual(3);
  expect(text).not.toBe('');
});

describe('a chained stream', () => {
  test('has the same transcript as a single session, and uses the whole reservation of each session except the last', async () => {
    const caller = await stage.caller();
    const { client, outcome, end } = await chain(caller);
    expect(await outcome).toMatchObject({ outcome: 'completed' });
    await end;
    expect(client.finals.map((final) => final.text)).toEqual([text]);
    expect(client.finals[0]).toMatchObject({
      utterance: 1,
      audio_start_ms: 0,
      audio_end_ms: Math.ceil(pcm.length / 32),
    });
    const { balance, sessions } = await settled(caller.tenant);
    expect(sessions).toEqual(ALL_PARTS);
    expect(balance).toMatchObject({ reservedMs: 0, consumedMs: SECONDS * 1000 });
    await untilPoolIsEmpty(stage.ledger, MODEL);
  });

  test('keeps its transcript when its worker drains in a later part, and the worker exits with 0', async () => {
    const caller = await stage.caller();
    let exited: Promise<number | null> | undefined;
    const { client, outcome, end } = await chain(
      caller,
      frames(async (part) => {
        if (part !== 1) return;
        const serving = await worker();
        exited = serving?.stop();
        await eventually('the worker drains', 30_000, async () => {
          const listed = await stage.ledger.workers.list(MODEL);
          return listed.every(({ id, draining }) => id !== serving?.id || draining);
        });
      }),
    );
    expect(await outcome).toMatchObject({ outcome: 'completed' });
    await end;
    expect(client.finals.map((final) => final.text)).toEqual([text]);
    expect((await settled(caller.tenant)).sessions).toEqual(ALL_PARTS);
    expect(await exited).toBe(0);
    await untilPoolIsEmpty(stage.ledger, MODEL);
  });

  test('keeps its transcript when its worker is killed in a later part', async () => {
    const caller = await stage.caller();
    let killed: number | undefined;
    const { client, outcome, end } = await chain(
      caller,
      frames(async (part) => {
        if (part !== 1) return;
        const serving = await worker();
        killed = serving?.pid;
        await serving?.stop('SIGKILL');
      }),
    );
    expect(await outcome).toMatchObject({ outcome: 'completed' });
    await end;
    expect(client.finals.map((final) => final.text)).toEqual([text]);
    expect(killed).toBeDefined();
    expect((await settled(caller.tenant)).sessions).toEqual(ALL_PARTS);
    await untilPoolIsEmpty(stage.ledger, MODEL);
  });

  test('ends when the credit is used up, with a final for the audio before that', async () => {
    const caller = await seedTenant(stage.ledger, 3500);
    const { client, outcome, end } = await chain(caller);
    expect(await outcome).toMatchObject({ outcome: 'completed', reason: 'audio_limit_reached', samples: 48_000 });
    await end;
    expect(client.finals).toMatchObject([{ audio_end_ms: 3000 }]);
    expect(await settled(caller.tenant)).toMatchObject({
      balance: { availableMs: 500, consumedMs: 3000 },
      sessions: [
        ['completed', 2000],
        ['completed', 1000],
      ],
    });
  });

  test('charges its full sessions and not the last one if the service fails', async () => {
    const caller = await stage.caller();
    const { stream, end } = await chain(
      caller,
      frames((part) => {
        if (part === 2) stream.fail('internal_error');
        return Promise.resolve();
      }),
    );
    await end;
    expect((await settled(caller.tenant)).sessions).toEqual([...ALL_PARTS.slice(0, 2), ['failed', 0]]);
    await untilPoolIsEmpty(stage.ledger, MODEL);
  });

  test('ends when its account deletes the current session', async () => {
    const caller = await stage.caller();
    const { outcome, end } = await chain(
      caller,
      frames(async (part) => {
        if (part !== 1) return;
        const [current] = (await stage.ledger.accounts.usage(caller.tenant))!.recent;
        await stage.ledger.sessionAccess.delete(caller.tenant, current!.id);
        await outcome;
      }),
    );
    expect(await outcome).toMatchObject({ outcome: 'completed', end: { reason: 'cancelled' } });
    await end;
    expect((await settled(caller.tenant)).sessions).toEqual([ALL_PARTS[0], ['completed', 1000]]);
  });
});

describe('a file of several parts', () => {
  const send = (key: string, audio: Uint8Array, baseUrl = stage.gateway.baseUrl) => {
    const form = new FormData();
    form.append('model', MODEL);
    form.append('file', new Blob([new Uint8Array(wrapWav(audio))]), 'speech.wav');
    const headers = { authorization: `Bearer ${key}` };
    return fetch(`${baseUrl}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  };

  test('has the same transcript as a single session, and each of its parts is charged', async () => {
    const { tenant, key } = await stage.caller();
    const answer = await send(key, pcm);
    expect(await answer.json()).toEqual({ text, usage: { type: 'duration', seconds: SECONDS } });
    const { balance, sessions } = await settled(tenant);
    expect(sessions).toEqual(ALL_PARTS);
    expect(balance).toMatchObject({ reservedMs: 0, consumedMs: SECONDS * 1000 });
    await untilPoolIsEmpty(stage.ledger, MODEL);
  });

  test('is refused with 402 before recognition if the credit does not cover all parts', async () => {
    const { tenant, key } = await seedTenant(stage.ledger, (SECONDS - 1) * 1000);
    expect((await send(key, pcm)).status).toBe(402);
    expect(await settled(tenant)).toMatchObject({ balance: { consumedMs: 0, reservedMs: 0 } });
  });

  test('gets 503 and is not charged if its gateway shuts down', async () => {
    const env = { CHAIN_PART_SECONDS: String(PART_SECONDS), STOP_GRACE_MS: '3000', STREAM_FINAL_TIMEOUT_MS: '1000' };
    const gateway = await startGateway(stage.redis.url, stage.prefix, env);
    const { tenant, key } = await stage.caller();
    // So much audio that a worker cannot recognize all of it before the gateway ends.
    const answer = send(key, Buffer.alloc(32_000 * 800, pcm), gateway.baseUrl);
    await eventually('the file is being recognized', 30_000, async () => {
      const { recent } = (await stage.ledger.accounts.usage(tenant))!;
      return recent[0]?.state === 'active';
    });
    const [{ status }] = await Promise.all([answer, gateway.stop()]);
    expect(status).toBe(503);
    const { balance, sessions } = await settled(tenant);
    expect(sessions).toEqual([['failed', 0]]);
    expect(balance).toMatchObject({ reservedMs: 0, consumedMs: 0 });
    await untilPoolIsEmpty(stage.ledger, MODEL);
  });
});
