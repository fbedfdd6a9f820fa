import { eventually } from '../support/eventually.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';
import { abandon, upgrade } from './upgrade.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let stage: Stage;
beforeAll(async () => {
  // The stage has no workers, because a gateway answers a handshake before the stream has a worker.
  stage = await setStage({ workers: [] });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

/** Returns the lines that the gateway has logged about a session or a request. */
function linesOf(id: string): Record<string, unknown>[] {
  const whole = stage.gateway.output().split('\n').slice(0, -1);
  return whole.filter((line) => line.includes(id)).map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('if a client disconnects before it receives the 101, its credential can still be used', async () => {
  const caller = await stage.caller();
  const session = await stage.session(caller);
  // Redis answers after the client has disconnected but within the Redis timeout.
  await stage.ledger.link.send('', ['CLIENT', 'PAUSE', '500']);
  await abandon(session);
  await eventually('the gateway has abandoned the handshake', 30_000, () =>
    linesOf(session.id).some(({ message }) => message === 'handshake abandoned'),
  );
  // A moment later, the gateway rolls back the connection of the session.
  const answer = await eventually('the credential works again', 30_000, async () => {
    const next = await upgrade(session);
    return next.status === 101 ? next : undefined;
  });
  expect(answer.status).toBe(101);
  expect(await stage.settled(caller)).toMatchObject({ state: 'failed', audioMs: 0, billableMs: 0 });
});

test('every response to a handshake, also a 101, has an X-Request-Id that appears in the log', async () => {
  const caller = await stage.caller();
  const session = await stage.session(caller);
  const opened = await upgrade(session);
  const answers = [opened, await upgrade(session), await upgrade(session, { method: 'POST' })];
  expect(answers.map(({ status }) => status)).toEqual([101, 401, 400]);
  await stage.settled(caller);
  const ids = answers.map(({ headers }) => String(headers['x-request-id']));
  expect(new Set(ids).size).toBe(3);
  const loggedAbout = (id: string) => linesOf(id).map(({ message, status }) => [message, status]);
  await eventually(
    'every response is logged',
    30_000,
    () => loggedAbout(ids[0]!).length === 2 && loggedAbout(ids[2]!).length === 1,
  );
  expect(loggedAbout(ids[0]!)).toEqual([
    ['stream opened', 101],
    ['stream settled', undefined],
  ]);
  expect(linesOf(ids[0]!)).toEqual(Array<unknown>(2).fill(expect.objectContaining({ session_id: session.id })));
  expect(loggedAbout(ids[1]!)).toEqual([['handshake refused', 401]]);
  expect(loggedAbout(ids[2]!)).toEqual([['handshake refused', 400]]);
  expect(opened.headers['x-request-id']).toMatch(UUID);
});
