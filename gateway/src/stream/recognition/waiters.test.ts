import { createLogger } from '@svc-asr/runtime';
import { Waiters } from './waiters.ts';
import type { WaitersOptions } from './waiters.ts';

/** A duration that is longer than any test. */
const NEVER_MS = 600_000;

function start(replaced: Partial<WaitersOptions> = {}) {
  let send: (message: string) => void = () => undefined;
  const renewed: (readonly string[])[] = [];
  const changed = new Set<string>();
  const waiters = new Waiters({
    pools: {
      channelOf: (model, gateway) => `${model}:${gateway}`,
      renewWaits: (_model, sessionIds) => {
        renewed.push(sessionIds);
        return Promise.resolve({ slots: 3, growth: 'starting', changed: sessionIds.filter((id) => changed.has(id)) });
      },
    },
    subscribe: (_channel, onMessage) => {
      send = onMessage;
      return Promise.resolve(() => Promise.resolve());
    },
    logger: createLogger('gateway', 'silent'),
    intervalMs: 10,
    ...replaced,
  });
  return { waiters, renewed, changed, send: (message: string) => send(message) };
}

test('Waiters wakes only streams that a notification names', async () => {
  const { waiters, send } = start({ intervalMs: NEVER_MS });
  const [a, b] = [waiters.join('m', 'a'), waiters.join('m', 'b')];
  const [first, second] = [a.wait(NEVER_MS), b.wait(10)];
  await new Promise((resolve) => setImmediate(resolve));
  send('a c');
  expect([await first, await second]).toEqual([true, false]);
  waiters.stop();
});

test('Waiters wakes a stream whose notification arrived before the stream started to wait', async () => {
  const { waiters, send } = start();
  waiters
    .join('m', 'first')
    .wait(10)
    .catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  const late = waiters.join('m', 'late');
  send('late');
  expect(await late.wait(NEVER_MS)).toBe(true);
  waiters.stop();
});

test('if Redis refuses the subscription to notifications, the next renewal of queue places wakes a stream that has got a worker', async () => {
  const subscribe = () => Promise.reject(new Error('NOPERM'));
  const { waiters, changed } = start({ subscribe });
  const waiter = waiters.join('m', 's');
  const woken = waiter.wait(NEVER_MS);
  changed.add('s');
  expect(await woken).toBe(true);
  expect(waiters.poolOf('m')).toEqual({ slots: 3, growth: 'starting' });
  waiters.stop();
});

test('Waiters renews the places of 1,200 streams with three commands, and sends no command after the streams have left the queue', async () => {
  const { waiters, renewed, changed } = start();
  const all = Array.from({ length: 1200 }, (_, at) => ({ id: `s${at}`, waiter: waiters.join('m', `s${at}`) }));
  const waits = all.map(({ waiter }) => waiter.wait(NEVER_MS));
  while (renewed.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(renewed.slice(0, 3).map((ids) => ids.length)).toEqual([500, 500, 200]);
  for (const { id } of all) changed.add(id);
  await Promise.all(waits);
  for (const { waiter } of all) waiter.leave();
  const before = renewed.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(renewed.length).toBe(before);
  waiters.stop();
});
