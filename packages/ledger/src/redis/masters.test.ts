import { LedgerUnavailable } from './link.ts';
import { findMasters } from './masters.ts';

const known = [{ id: 'a' }, { id: 'b' }, { id: 'replica' }];
const range = (from: number, to: number, id: string) => [
  from,
  to,
  ['127.0.0.1', 7000, id],
  ['127.0.0.1', 7001, 'replica'],
];

test('findMasters returns each master only once, even if it stores several ranges of slots', () => {
  const slots = [range(0, 99, 'a'), range(100, 8191, 'b'), range(8192, 16_383, 'a')];
  expect(findMasters(slots, known)).toEqual([{ id: 'a' }, { id: 'b' }]);
});

test('findMasters throws if one slot has no master', () => {
  expect(() => findMasters([range(0, 8191, 'a'), range(8193, 16_383, 'b')], known)).toThrow(LedgerUnavailable);
});

test('findMasters throws if the cluster names a master that the client does not know', () => {
  expect(() => findMasters([range(0, 16_383, 'c')], known)).toThrow('new master c');
});
