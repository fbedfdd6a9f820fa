import { AudioBudget } from './audio-budget.ts';

/** Size of the audio of the longest session: 300 s of 16,000 samples with two bytes each. */
const LONGEST_BYTES = 9_600_000;

test.each([
  [2 * LONGEST_BYTES, 2],
  [2 * LONGEST_BYTES - 1, 1],
  [LONGEST_BYTES - 1, 0],
])('AudioBudget of %d bytes has room for %d handshakes at the same time', (bytes, room) => {
  const budget = new AudioBudget(bytes);
  for (let taken = 0; taken < room; taken++) {
    expect(budget.freeStreams).toBe(room - taken);
    expect(budget.take()).toBeDefined();
  }
  expect([budget.freeStreams, budget.take()]).toEqual([0, undefined]);
});

test('AudioBudget.close refuses further shares and keeps the shares that were taken before', () => {
  const budget = new AudioBudget(2 * LONGEST_BYTES);
  const share = budget.take()!;
  budget.close();
  expect([budget.freeStreams, budget.take(), budget.heldBytes]).toEqual([0, undefined, LONGEST_BYTES]);
  share.release();
  expect([budget.freeStreams, budget.inUse]).toEqual([0, false]);
});

test('AudioShare.resize reduces a share to exactly the memory for the given duration of audio', () => {
  const second = 32_000;
  const exact = new AudioBudget(LONGEST_BYTES + second);
  exact.take()!.resize(1000);
  expect(exact.take()).toBeDefined();
  const short = new AudioBudget(LONGEST_BYTES + second - 1);
  short.take()!.resize(1000);
  expect(short.take()).toBeUndefined();
});

test('AudioShare.release returns the memory of a share only once, even if it is called twice', () => {
  const budget = new AudioBudget(2 * LONGEST_BYTES);
  const first = budget.take()!;
  const second = budget.take()!;
  second.resize(300_000);
  expect(budget.take()).toBeUndefined();
  first.release();
  first.release();
  const last = budget.take()!;
  expect(budget.take()).toBeUndefined();
  second.release();
  expect(budget.inUse).toBe(true);
  last.release();
  expect(budget.inUse).toBe(false);
});

test('AudioShare.resize extends a share if there is room, and otherwise leaves it unchanged', () => {
  const budget = new AudioBudget(2 * LONGEST_BYTES);
  const [first, second] = [budget.take()!, budget.take()!];
  expect(first.resize(300_001)).toBe(false);
  expect(budget.heldBytes).toBe(2 * LONGEST_BYTES);
  expect(second.resize(100_000)).toBe(true);
  expect(first.resize(500_001)).toBe(false);
  expect(first.audioMs).toBe(300_000);
  expect(first.resize(500_000)).toBe(true);
  expect(first.audioMs).toBe(500_000);
  first.release();
  expect(budget.heldBytes).toBe(LONGEST_BYTES / 3);
});

test('AudioShare.resize takes no memory after the share was released', () => {
  const budget = new AudioBudget(LONGEST_BYTES);
  const share = budget.take()!;
  share.release();
  expect([share.resize(1000), share.audioMs, budget.inUse]).toEqual([false, 0, false]);
});
