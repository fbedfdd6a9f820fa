import { Avoided } from './avoided.ts';

test('a worker is avoided for a while, from the last time that it was lost', () => {
  const avoided = new Avoided(1000);
  expect(avoided.list(0, true)).toEqual([]);
  avoided.add('a', 0);
  avoided.add('b', 600);
  expect(avoided.list(999, true)).toEqual(['a', 'b']);
  expect(avoided.list(1000, true)).toEqual(['b']);
  avoided.add('b', 1500);
  expect(avoided.list(2499, true)).toEqual(['b']);
});

test('a stream that has moved is known as one when it avoids nobody any more', () => {
  const avoided = new Avoided(1000);
  avoided.add('a', 0);
  expect(avoided.list(5000, true)).toEqual(['-']);
});

test('a stream that no worker has opened yet waits in line like the others', () => {
  const avoided = new Avoided(1000);
  avoided.add('a', 0);
  expect(avoided.list(5000, false)).toEqual([]);
});
