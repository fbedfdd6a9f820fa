import { randomUUID } from 'node:crypto';
import type { Owner } from '@svc-asr/ledger';
import { eventually } from '../support/eventually.ts';
import { MODEL, postSession, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { createSession, openStream, Refused } from '../support/stream-client.ts';
import type { SessionBody, StreamClient } from '../support/stream-client.ts';
import { CREDIT_MS, setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

/** Time for which Redis pauses. It is shorter than the Redis timeout, and long enough for the handshakes to overlap. */
const PAUSE_MS = 400;
const LONGEST_S = 300;

let stage: Stage;
let small: TestGateway;
beforeAll(async () => {
  // The stage has no workers, because a gateway answers a handshake before the stream has a worker.
  stage = await setStage({ workers: [] });
}, STAGE_TIMEOUT_MS);
afterEach(() => small.stop());
afterAll(() => stage.stop());

const attempt = (session: SessionBody) =>
  openStream(session).catch((error: unknown) => {
    if (error instanceof Refused) return error;
    throw error;
  });

// The audio of the longest session takes 9.6 MB, so two such sessions take 18.3 MiB.
test.each([
  ['18', 1],
  ['19', 2],
])(
  'with %s MiB of memory for audio, %d of five simultaneous handshakes succeed',
  async (mib, room) => {
    small = await startGateway(stage.redis.url, stage.prefix, { STREAM_MEMORY_MIB: mib, STOP_GRACE_MS: '4000' });
    const sessions = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { key } = await stage.caller();
        return createSession(small, key, { model: MODEL, max_audio_seconds: LONGEST_S });
      }),
    );
    // No handshake completes before the last one has been sent.
    await stage.ledger.link.send('', ['CLIENT', 'PAUSE', String(PAUSE_MS)]);
    const answers = await Promise.all(sessions.map(attempt));
    const opened = answers.filter((answer): answer is StreamClient => !(answer instanceof Refused));
    const refused = answers.filter((answer) => answer instanceof Refused);
    expect(opened).toHaveLength(room);
    expect(refused.map(({ status, code }) => [status, code])).toEqual(
      Array<unknown>(5 - room).fill([503, 'service_unavailable']),
    );

    // A refused handshake uses neither its credential nor memory. It therefore succeeds as soon as an open stream has
    // ended.
    const next = sessions[answers.findIndex((answer) => answer instanceof Refused)]!;
    await expect(openStream(next)).rejects.toMatchObject({ status: 503 });
    opened[0]!.close();
    const stream = await eventually('a handshake succeeds again', 30_000, async () => {
      const answer = await attempt(next);
      if (!(answer instanceof Refused)) return answer;
      expect(answer.code).toBe('service_unavailable');
      return undefined;
    });
    stream.close();
  },
  120_000,
);

describe('a session request to a gateway that is full', () => {
  const LONGEST = { model: MODEL, max_audio_seconds: LONGEST_S };
  let other: Owner | undefined;

  /**
   * Writes to Redis what a second gateway would write when it renews its lease. No such process runs. If `freeStreams`
   * is undefined, writes no capacity, as a gateway of the previous version does.
   */
  async function renewOther(freeStreams: number | undefined): Promise<void> {
    const { gateways } = stage.ledger;
    if (other !== undefined && (await gateways.renew(other, freeStreams)) !== undefined) return;
    other = await gateways.join(`other-${randomUUID()}`);
    await gateways.renew(other, freeStreams);
  }

  async function leaveOther(): Promise<void> {
    if (other !== undefined) await stage.ledger.gateways.leave(other);
    other = undefined;
  }

  /** Sends requests of new tenants until one of them gets the given status. Returns the response to that request. */
  const postUntil = (status: number, freeElsewhere: number | undefined) =>
    eventually(`a session request is answered with ${status}`, 30_000, async () => {
      await renewOther(freeElsewhere);
      const caller = await stage.caller();
      const answer = await postSession(small, caller.key, LONGEST);
      return answer.status === status ? answer : undefined;
    });

  beforeAll(() => stage.gateway.stop());
  beforeEach(async () => {
    // The gateway renews its lease every 50 ms, so Redis soon knows when the gateway is full.
    small = await startGateway(stage.redis.url, stage.prefix, {
      STREAM_MEMORY_MIB: '18',
      LEASE_RENEW_MS: '50',
      STOP_GRACE_MS: '4000',
    });
  });
  afterEach(leaveOther);

  test('gets 503 no_capacity while the other gateway is full too, reserves no credit and does not use up its Idempotency-Key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await stage.caller(2);
    const session = await postSession(small, first.key, LONGEST, key);
    const stream = await openStream(session.body as unknown as SessionBody);
    const answer = await postUntil(503, 0);
    expect(answer.body.error?.code).toBe('no_capacity');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(10);

    // A request that repeats an Idempotency-Key returns the same session and needs no capacity.
    const repeat = await postSession(small, first.key, LONGEST, key);
    expect([repeat.status, repeat.body.id]).toEqual([201, session.body.id]);

    const caller = await stage.caller();
    const retried = { 'idempotency-key': randomUUID() };
    expect((await postSession(small, caller.key, LONGEST, retried)).status).toBe(503);
    await eventually('nothing stays reserved', 30_000, async () => {
      const { balance, recent } = (await stage.ledger.accounts.usage(caller.tenant))!;
      return balance.reservedMs === 0 && balance.availableMs === CREDIT_MS && recent.length === 0;
    });
    stream.close();
    await postUntil(201, 0);
    // The session that `postUntil` created may still use the capacity for the only stream, so the first retries may be
    // refused.
    await eventually('the retry with the same key gets a session', 30_000, async () => {
      const { status } = await postSession(small, caller.key, LONGEST, retried);
      return status === 201;
    });
  }, 120_000);

  test.each([
    ['has room', 1],
    ['joins that publishes no capacity, as in the previous version', undefined],
  ])(
    'is accepted as soon as another gateway %s',
    async (_name, freeElsewhere) => {
      const { key } = await stage.caller();
      const stream = await openStream(await createSession(small, key, LONGEST));
      await postUntil(503, 0);
      await leaveOther();
      await postUntil(201, freeElsewhere);
      stream.close();
    },
    120_000,
  );
});
