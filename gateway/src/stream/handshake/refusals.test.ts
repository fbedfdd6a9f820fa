import { PROMPT_FAILURES_PER_SECOND, RefusalDelay } from '../../auth/refusal-delay.ts';
import { Refusals, SESSION_REFUSALS_PER_SECOND } from './refusals.ts';

const LIMITED = expect.objectContaining({ code: 'rate_limit_exceeded', retryAfterS: 1 }) as Error;
const createRefusals = (perAddress: number) => new Refusals(perAddress, new RefusalDelay(0));

test('Refusals throws 429 for an address over the limit, until one of its refusals has expired', async () => {
  const refusals = createRefusals(2);
  const count = (nowMs: number) => refusals.countForAddress('203.0.113.1', nowMs);
  await count(0);
  await count(0);
  await expect(count(0)).rejects.toEqual(LIMITED);
  // A handshake that gets 429 does not count against the limit.
  await expect(count(499)).rejects.toEqual(LIMITED);
  await count(500);
  await refusals.countForAddress('203.0.113.2', 500);
});

test('Refusals throws 429 for a session whose handshakes were refused too often, until one of the counted refusals has expired', async () => {
  const refusals = createRefusals(1);
  const check = async (nowMs: number) => (await refusals.startForSession('session', nowMs))();
  for (let at = 0; at < SESSION_REFUSALS_PER_SECOND; at++) {
    await check(0);
    refusals.countForSession('session', 0);
  }
  await expect(check(0)).rejects.toEqual(LIMITED);
  const expiryMs = 1000 / SESSION_REFUSALS_PER_SECOND;
  await expect(check(expiryMs - 1)).rejects.toEqual(LIMITED);
  await check(expiryMs);
  await refusals.startForSession('other', 0);
});

test('Refusals accepts a handshake with a valid credential even if its address is over the limit', async () => {
  const refusals = createRefusals(1);
  await refusals.countForAddress('203.0.113.1', 0);
  await expect(refusals.countForAddress('203.0.113.1', 0)).rejects.toEqual(LIMITED);
  await refusals.startForSession('session', 0);
});

test('Refusals throws 429 for a session with too many unanswered handshakes, until one of them has ended', async () => {
  const refusals = createRefusals(1);
  const start = (sessionId = 'session') => refusals.startForSession(sessionId, 0);
  // The handshakes start in parallel.
  const ends = await Promise.all(Array.from({ length: SESSION_REFUSALS_PER_SECOND }, () => start()));
  await expect(start()).rejects.toEqual(LIMITED);
  await start('other');
  ends[0]?.();
  await start();
});

test('Refusals delays each 429 response, and also other refusals of an address that is refused frequently', async () => {
  const delay = new RefusalDelay(3_600_000);
  const refusals = new Refusals(2 * PROMPT_FAILURES_PER_SECOND, delay);
  const count = () => refusals.countForAddress('203.0.113.1', 0);
  for (let at = 0; at < PROMPT_FAILURES_PER_SECOND; at++) await count();
  const delayed = Array.from({ length: PROMPT_FAILURES_PER_SECOND }, count);
  expect(delay.waiting).toBe(PROMPT_FAILURES_PER_SECOND);
  const limited = count().catch((error: unknown) => error);
  for (let at = 0; at < SESSION_REFUSALS_PER_SECOND; at++) refusals.countForSession('session', 0);
  const session = refusals.startForSession('session', 0).catch((error: unknown) => error);
  expect(delay.waiting).toBe(PROMPT_FAILURES_PER_SECOND + 2);
  await refusals.startForSession('other', 0);
  delay.stop();
  await Promise.all(delayed);
  expect(await Promise.all([limited, session])).toEqual([LIMITED, LIMITED]);
});
