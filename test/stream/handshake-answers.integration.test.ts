import { eventually } from '../support/eventually.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';
import { abandon, upgrade } from './upgrade.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let stage: Stage;
beforeAll(async () => {
  // No handshake needs a worker.
  stage = await setStage({ workers: [] });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

/** What the gateway has logged about a session or a request so far. */
function linesOf(id: string): Record<string, unknown>[] {
  const whole = stage.gateway.output().split('\n').slice(0, -1);
  return whole.filter((line) => line.includes(id)).map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a client that is gone before the 101 has not used its credential', async () => {
  const caller = await stage.caller();
  const session = await stage.session(caller);
  // Redis answers when the client has gone, and in time.
  await stage.ledger.link.send('', ['CLIENT', 'PAUSE', '500']);
  await abandon(session);
  await eventually('the gateway has given it up', 5000, () =>
    linesOf(session.id).some(({ message }) => message === 'handshake abandoned'),
  );
  // The connect is taken back in a moment.
  const answer = await eventually('the credential works again', 3000, async () => {
    const next = await upgrade(session);
    return next.status === 101 ? next : undefined;
  });
  expect(answer.status).toBe(101);
  expect(await stage.settled(caller)).toMatchObject({ state: 'completed', audioMs: 0, billableMs: 0 });
});

test('every answer has an X-Request-Id that the log knows, an accepted one too', async () => {
  const caller = await stage.caller();
  const session = await stage.session(caller);
  const opened = await upgrade(session);
  const answers = [opened, await upgrade(session), await upgrade(session, { method: 'POST' })];
  expect(answers.map(({ status }) => status)).toEqual([101, 401, 400]);
  await stage.settled(caller);
  const ids = answers.map(({ headers }) => String(headers['x-request-id']));
  expect(new Set(ids).size).toBe(3);
  const told = (id: string) => linesOf(id).map(({ message, status }) => [message, status]);
  await eventually('all is logged', 5000, () => told(ids[0]!).length === 2 && told(ids[2]!).length === 1);
  expect(told(ids[0]!)).toEqual([
    ['stream opened', 101],
    ['stream settled', undefined],
  ]);
  expect(linesOf(ids[0]!)).toEqual(Array<unknown>(2).fill(expect.objectContaining({ session_id: session.id })));
  expect(told(ids[1]!)).toEqual([['handshake refused', 401]]);
  expect(told(ids[2]!)).toEqual([['handshake refused', 400]]);
  expect(opened.headers['x-request-id']).toMatch(UUID);
});
