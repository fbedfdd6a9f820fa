import type { AsrModel } from '@svc-asr/core';
import type { WorkerRecord } from '@svc-asr/ledger';
import { MeasuredSlots } from './measured-slots.ts';
import { createSlotsMemory } from './slots-memory.ts';

const restored = (status: AsrModel['status'], slots = 0) => {
  const measured = new MeasuredSlots('m', createSlotsMemory());
  measured.restore({ spec: { worker: { slots } }, status } as AsrModel);
  return measured;
};
const worker = (revision: string, slots: number, device?: string): WorkerRecord => ({
  id: `${revision}-${slots}`,
  address: 'ws://w',
  revision,
  slots,
  active: 0,
  draining: false,
  leaseUntilMs: 0,
  ...(device !== undefined && { device }),
});

test('measured slots are stored for each revision and device, and recall() returns the newest measurement of a revision', () => {
  const measured = restored({});
  measured.record([worker('a', 40, 'T4')]);
  measured.record([worker('b', 8)]);
  measured.record([worker('a', 90, 'H200')]);
  expect(measured.all).toEqual([
    { revision: 'a', device: 'H200', slots: 90 },
    { revision: 'b', slots: 8 },
    { revision: 'a', device: 'T4', slots: 40 },
  ]);
  expect([measured.recall('a'), measured.recall('b'), measured.recall('c')]).toEqual([90, 8, undefined]);
});

test('measured slots that differ by less than the tolerance are not updated, so that no status is written', () => {
  const measured = restored({});
  measured.record([worker('a', 100)]);
  const before = measured.all;
  measured.record([worker('a', 90), worker('a', 109)]);
  expect(measured.all).toBe(before);
  measured.record([worker('a', 50)]);
  expect(measured.recall('a')).toBe(50);
});

test('the measured slots of a worker are the slots that it measured at its start, even while it offers fewer', () => {
  const slots = restored({});
  slots.record([{ ...worker('a', 20), measuredSlots: 90 }]);
  expect(slots.recall('a')).toBe(90);
});

test('measured slots are restored from the status of the ASRModel, even if an earlier operator version wrote the status', () => {
  const measuredSlots = [{ revision: 'b', slots: 7 }];
  expect(restored({ measuredSlots, revision: 'a', slotsPerWorker: 9 }).all).toEqual(measuredSlots);
  expect(restored({ revision: 'a', slotsPerWorker: 9 }).recall('a')).toBe(9);
  expect(restored({ slotsPerWorker: 9 }).all).toEqual([]);
});

test('slots that the spec sets are not restored as measured slots', () => {
  expect(restored({ revision: 'a', slotsPerWorker: 9 }, 9).all).toEqual([]);
});

test('at most 32 measurements of a model are kept', () => {
  const measured = restored({});
  for (let revision = 1; revision <= 36; revision++) measured.record([worker(`r${revision}`, revision)]);
  expect(measured.all.length).toBe(32);
  expect([measured.recall('r36'), measured.recall('r4')]).toEqual([36, undefined]);
});

test('measured slots are remembered and recalled separately for each tier', () => {
  const measured = restored({});
  measured.record([
    { ...worker('r', 100), tier: 'reserved' },
    { ...worker('r', 10), id: 'w2', tier: 'cpu' },
  ]);
  expect([measured.recall('r', 'reserved'), measured.recall('r', 'cpu')]).toEqual([100, 10]);
  expect([measured.recall('r'), measured.recall('r', 'spot')]).toEqual([undefined, undefined]);
});
