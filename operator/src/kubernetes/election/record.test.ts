import { heldUntilMs, observe } from './observation.ts';
import { buildLease, formatMicroTime, readRecord, releaseRecord, takeRecord } from './record.ts';
import type { LeaseRecord } from './record.ts';

const NOW_MS = Date.UTC(2030, 0, 2, 3, 4, 5, 678);
const record = (changes: Partial<LeaseRecord> = {}): LeaseRecord => ({
  holder: 'a',
  durationSeconds: 15,
  acquireTime: '2030-01-01T00:00:00.000000Z',
  renewTime: '2030-01-01T00:00:00.000000Z',
  transitions: 3,
  ...changes,
});

test('formatMicroTime formats a time with microseconds', () => {
  expect(formatMicroTime(NOW_MS)).toBe('2030-01-02T03:04:05.678000Z');
});

test('takeRecord keeps acquireTime at a renewal, and counts a takeover as a transition', () => {
  const now = '2030-01-02T03:04:05.678000Z';
  expect(takeRecord(record(), 'a', 15, NOW_MS)).toEqual(record({ renewTime: now }));
  expect(takeRecord(record(), 'b', 15, NOW_MS)).toEqual(
    record({ holder: 'b', acquireTime: now, renewTime: now, transitions: 4 }),
  );
  expect(takeRecord(undefined, 'b', 15, NOW_MS).transitions).toBe(0);
  expect(releaseRecord(record(), NOW_MS)).toMatchObject({ holder: '', durationSeconds: 1, transitions: 3 });
});

test('readRecord returns the record that buildLease wrote, and buildLease keeps fields of other writers', () => {
  const before = { apiVersion: 'v1', kind: 'Lease', metadata: { name: 'x', resourceVersion: '7' }, spec: { other: 1 } };
  const lease = buildLease('x', record(), before);
  expect(readRecord(lease)).toEqual(record());
  expect(lease).toMatchObject({ metadata: { resourceVersion: '7' }, spec: { other: 1 } });
  expect(buildLease('x', record())).toMatchObject({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' });
  expect(readRecord({ apiVersion: '', kind: '', metadata: { name: 'x' } })).toMatchObject({
    holder: '',
    transitions: 0,
  });
});

test('heldUntilMs counts from the last observed change of a lease and ignores the times in the lease', () => {
  const first = observe(undefined, record({ renewTime: '1999-01-01T00:00:00.000000Z' }), 1000);
  expect(heldUntilMs(first, 'b')).toBe(16_000);
  const same = observe(first, record({ renewTime: '1999-01-01T00:00:00.000000Z' }), 9000);
  expect(heldUntilMs(same, 'b')).toBe(16_000);
  expect(heldUntilMs(observe(same, record(), 9000), 'b')).toBe(24_000);
});

test('heldUntilMs is undefined for a lease that is free or that the calling candidate holds', () => {
  expect(heldUntilMs({ record: record(), sinceMs: 0 }, 'a')).toBeUndefined();
  expect(heldUntilMs({ record: record({ holder: '' }), sinceMs: 0 }, 'b')).toBeUndefined();
});
