import { setImmediate as nextTurn } from 'node:timers/promises';
import { createReplyPacer } from './reply-pacer.ts';

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns === 1000) throw new Error('the condition was not met within 1000 turns');
    await nextTurn();
  }
}

test('the reply pacer delivers one batch of replies immediately, and the remaining replies in order in later turns of the event loop', async () => {
  const pacer = createReplyPacer(2);
  const got: number[] = [];
  for (let i = 0; i < 5; i++) pacer(() => got.push(i));
  expect(got).toEqual([0, 1]);
  await until(() => got.length === 5);
  expect(got).toEqual([0, 1, 2, 3, 4]);
});

test('the reply pacer delivers pending replies before replies that arrive after them', async () => {
  const pacer = createReplyPacer(2);
  const got: number[] = [];
  for (let i = 0; i < 3; i++) pacer(() => got.push(i));
  await nextTurn();
  for (let i = 3; i < 6; i++) pacer(() => got.push(i));
  await until(() => got.length === 6);
  expect(got).toEqual([0, 1, 2, 3, 4, 5]);
});

test('after an idle period, the reply pacer again delivers a full batch immediately', async () => {
  const pacer = createReplyPacer(2);
  for (let round = 0; round < 3; round++) {
    const got: number[] = [];
    for (let i = 0; i < 2; i++) pacer(() => got.push(i));
    expect(got).toEqual([0, 1]);
    for (let i = 0; i < 5; i++) await nextTurn();
  }
});

test('the reply pacer lets callers write their next commands before it delivers more replies', async () => {
  const pacer = createReplyPacer(2);
  const writes: number[] = [];
  let asked = 0;
  // Batches commands as the Redis client library does. One callback of setImmediate writes all commands of a turn.
  const ask = () => {
    if (asked++ > 0) return;
    setImmediate(() => {
      writes.push(asked);
      asked = 0;
    });
  };
  const answers = Array.from({ length: 6 }, () => new Promise<void>((resolve) => pacer(resolve)).then(ask));
  await Promise.all(answers);
  await until(() => writes.length === 3);
  expect(writes).toEqual([2, 2, 2]);
});
