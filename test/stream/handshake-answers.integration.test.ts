import { eventually } from '../support/eventually.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';
import { abandon, upgrade } from './upgrade.ts';

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
    linesOf(session.id).some(({ message }) => message === 'handshake given up'),
  );
  // The connect is taken back in a moment.
  const answer = await eventually('the credential works again', 3000, async () => {
    const next = await upgrade(session);
    return next.status === 101 ? next : undefined;
  });
  expect(answer.status).toBe(101);
  expect(await stage.settled(caller)).toMatchObject({ state: 'completed', audioMs: 0, billableMs: 0 });
});
