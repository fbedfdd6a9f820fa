import { Avoided } from './avoided.ts';

test('Avoided lists a lost worker until the given time has passed since its last loss', () => {
  const avoided = new Avoided(1000);
  expect(avoided.list(0, true)).toEqual([]);
  avoided.add('a', 0);
  avoided.add('b', 600);
  expect(avoided.list(999, true)).toEqual(['a', 'b']);
  expect(avoided.list(1000, true)).toEqual(['b']);
  avoided.add('b', 1500);
  expect(avoided.list(2499, true)).toEqual(['b']);
});

test('if a stream lost its worker long ago, Avoided lists a placeholder, so that Redis serves the stream before new streams', () => {
  const avoided = new Avoided(1000);
  avoided.add('a', 0);
  expect(avoided.list(5000, true)).toEqual(['-']);
});

test('if no worker has opened the stream yet, Avoided lists nothing when the given time has passed since the last loss', () => {
  const avoided = new Avoided(1000);
  avoided.add('a', 0);
  expect(avoided.list(5000, false)).toEqual([]);
});
