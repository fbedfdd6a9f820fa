import { setTimeout } from 'node:timers/promises';
import { createWaitNote } from './wait-note.ts';

/** Shows reasons for a wait. Returns what was printed. */
async function printed(reasons: readonly string[], ends: boolean): Promise<string[]> {
  const texts: string[] = [];
  const wait = createWaitNote({ note: (text) => texts.push(text) }, 1);
  reasons.forEach(wait.show);
  if (ends) wait.end();
  await setTimeout(20);
  wait.show('A later reason.');
  await setTimeout(20);
  return texts;
}

test('createWaitNote prints the last reason of a long wait once', async () => {
  expect(await printed(['Looking for a worker.', 'Every worker is busy.'], false)).toEqual(['Every worker is busy.']);
});

test('createWaitNote prints nothing if the wait ends before the delay', async () => {
  expect(await printed(['Every worker is busy.'], true)).toEqual([]);
});
