import { createNotices } from './notices.ts';

test('createNotices logs a condition when it starts, when it changes and when it ends', () => {
  const notices = createNotices();
  const log: string[] = [];
  const raise = (id: string, version: string) => notices.raise(id, version, () => log.push(`${id} ${version}`));
  const clear = (id: string) => notices.clear(id, () => log.push(`${id} over`));
  clear('a');
  raise('a', '1');
  raise('a', '1');
  raise('b', '1');
  raise('a', '2');
  clear('a');
  clear('a');
  raise('a', '2');
  expect(log).toEqual(['a 1', 'b 1', 'a 2', 'a over', 'a 2']);
});
