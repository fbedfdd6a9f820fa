import { EventEmitter } from 'node:events';
import { MAX_WAITING, maxWaitingOf, PROMPT_FAILURES_PER_SECOND, randomDelay, RefusalDelay } from './refusal-delay.ts';

const HOUR_MS = 3_600_000;
const ADDRESS = '203.0.113.1';

test('RefusalDelay delays at most MAX_WAITING refusals at a time by default, and sends further refusals at once', async () => {
  const delay = new RefusalDelay(HOUR_MS);
  const waiting = Array.from({ length: MAX_WAITING }, () => delay.wait());
  await delay.wait();
  expect(delay.waiting).toBe(MAX_WAITING);
  delay.stop();
  await Promise.all(waiting);
  expect(delay.waiting).toBe(0);
});

test.each([
  [64, 16],
  [4000, 1000],
  [10_240, 1000],
])('maxWaitingOf for %i connections returns %i', (connections, waiting) => {
  expect(maxWaitingOf(connections)).toBe(waiting);
});

test('RefusalDelay delays at most the number of refusals that its second argument sets', async () => {
  const delay = new RefusalDelay(HOUR_MS, 1);
  void delay.wait();
  await delay.wait();
  expect(delay.waiting).toBe(1);
  delay.stop();
});

test('RefusalDelay does not wait if the delay is 0, or after stop() was called', async () => {
  await new RefusalDelay(0).wait();
  const delay = new RefusalDelay(HOUR_MS);
  delay.stop();
  await delay.wait();
});

test('RefusalDelay ends the delay of a refusal when its client disconnects', async () => {
  const delay = new RefusalDelay(HOUR_MS);
  const response = new EventEmitter();
  const wait = delay.wait(response);
  expect(delay.waiting).toBe(1);
  response.emit('close');
  await wait;
  expect(delay.waiting).toBe(0);
});

test('RefusalDelay.waitAfterFailure waits only for an address that has failed often in the last second', async () => {
  const delay = new RefusalDelay(HOUR_MS);
  for (let i = 0; i < PROMPT_FAILURES_PER_SECOND; i++) await delay.waitAfterFailure(ADDRESS, 0);
  void delay.waitAfterFailure(ADDRESS, 0);
  expect(delay.waiting).toBe(1);
  await delay.waitAfterFailure('203.0.113.2', 0);
  await delay.waitAfterFailure(ADDRESS, 1000 / PROMPT_FAILURES_PER_SECOND);
  expect(delay.waiting).toBe(1);
  delay.stop();
});

test('RefusalDelay.refuse throws 429 with Retry-After', async () => {
  const refused = new RefusalDelay(0).refuse(1500, 'Too many.');
  await expect(refused).rejects.toMatchObject({ status: 429, retryAfterS: 2, message: 'Too many.' });
});

test('randomDelay returns a delay between 0.5 and 1.5 times the given mean', () => {
  expect(randomDelay(2000, 0)).toBe(1000);
  expect(randomDelay(2000, 1)).toBe(3000);
});
