import { setImmediate as nextTurn } from 'node:timers/promises';
import { createReplyPacer } from './reply-pacer.ts';

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns === 1000) throw new Error('it did not come to pass');
    await nextTurn();
  }
}

test('hands on at once what fits into a turn, and the rest later, in order', async () => {
  const turns = createReplyPacer(2);
  const got: number[] = [];
  for (let i = 0; i < 5; i++) turns(() => got.push(i));
  expect(got).toEqual([0, 1]);
  await until(() => got.length === 5);
  expect(got).toEqual([0, 1, 2, 3, 4]);
});

test('what comes while others wait does not pass them', async () => {
  const turns = createReplyPacer(2);
  const got: number[] = [];
  for (let i = 0; i < 3; i++) turns(() => got.push(i));
  await nextTurn();
  for (let i = 3; i < 6; i++) turns(() => got.push(i));
  await until(() => got.length === 6);
  expect(got).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a quiet time later as many are handed on at once as before', async () => {
  const turns = createReplyPacer(2);
  for (let round = 0; round < 3; round++) {
    const got: number[] = [];
    for (let i = 0; i < 2; i++) turns(() => got.push(i));
    expect(got).toEqual([0, 1]);
    for (let i = 0; i < 5; i++) await nextTurn();
  }
});

test('what the callers ask next is written before more is handed on', async () => {
  const turns = createReplyPacer(2);
  const writes: number[] = [];
  let asked = 0;
  // As the client does it: what is asked in one turn is written together by an immediate.
  const ask = () => {
    if (asked++ > 0) return;
    setImmediate(() => {
      writes.push(asked);
      asked = 0;
    });
  };
  const answers = Array.from({ length: 6 }, () => new Promise<void>((resolve) => turns(resolve)).then(ask));
  await Promise.all(answers);
  await until(() => writes.length === 3);
  expect(writes).toEqual([2, 2, 2]);
});
