import { eventually } from '../support/eventually.ts';
import { MODEL, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { createSession, openStream, Refused } from '../support/stream-client.ts';
import type { SessionBody, StreamClient } from '../support/stream-client.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

/** Time for which Redis pauses. It is shorter than the Redis timeout, and long enough for the handshakes to overlap. */
const PAUSE_MS = 400;
const LONGEST_S = 300;

let stage: Stage;
let small: TestGateway;
beforeAll(async () => {
  // No handshake needs a worker.
  stage = await setStage({ workers: [] });
}, STAGE_TIMEOUT_MS);
afterEach(() => small.stop());
afterAll(() => stage.stop());

const attempt = (session: SessionBody) =>
  openStream(session).catch((error: unknown) => {
    if (error instanceof Refused) return error;
    throw error;
  });

// The longest session takes 9.6 MB, so two take 18.3 MiB.
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

    // A refusal consumes nothing, so the next stream is admitted when one ends.
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
