import { loadRuntime } from './cuda.ts';
import { loadKoffi } from './koffi.ts';
import { createHostMemory, roundUp } from './memory.ts';

test('host memory copies and fills exactly the given bytes', async () => {
  const memory = createHostMemory(await loadKoffi());
  const [from, to] = [memory.allocateHost(16), memory.allocateHost(16)];
  const device = memory.allocate(16);
  new Uint8Array(from.buffer).set(Array.from({ length: 16 }, (_, i) => i + 1));
  memory.fill(device, 255, 16);
  memory.copyToDevice(device + 4n, from.pointer, 8);
  memory.fill(device + 14n, 0, 1);
  memory.copyToHost(to.pointer, device, 16);
  expect([...new Uint8Array(to.buffer)]).toEqual([255, 255, 255, 255, 1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 0, 255]);
  expect(memory.freeBytes()).toBeGreaterThan(0);
  memory.release(device);
  for (const block of [from, to]) memory.releaseHost(block);
  memory.close();
});

test('blocks of host memory start at multiples of 64 bytes', async () => {
  const memory = createHostMemory(await loadKoffi());
  const blocks = [1, 63, 64, 65, 1000].map((bytes) => memory.allocate(bytes));
  expect(blocks.map((pointer) => pointer % 64n)).toEqual([0n, 0n, 0n, 0n, 0n]);
  for (const block of blocks) memory.release(block);
});

test('an event of host memory is complete as soon as record() returns, and msSince() returns the time since another event', async () => {
  const memory = createHostMemory(await loadKoffi());
  const [first, second] = [memory.createEvent(), memory.createEvent()];
  first.record();
  second.record();
  second.wait();
  expect(second.isDone()).toBe(true);
  expect(second.msSince(first)).toBeGreaterThanOrEqual(0);
});

test('done() of an event that host memory created resolves in a later turn of the event loop', async () => {
  const event = createHostMemory(await loadKoffi()).createEvent();
  let handled = false;
  setImmediate(() => (handled = true));
  await event.done();
  expect(handled).toBe(true);
});

test.each([
  [0, 64, 0],
  [1, 64, 64],
  [64, 64, 64],
  [65, 64, 128],
])('roundUp of %s to multiples of %s is %s', (value, unit, expected) => {
  expect(roundUp(value, unit)).toBe(expected);
});

test('if no CUDA runtime is found, loadRuntime throws an error with the names of the libraries and a remedy', async () => {
  const koffi = await loadKoffi();
  expect(() => loadRuntime(koffi, ['libmissing.so.2', 'libmissing.so.1'])).toThrow(
    expect.objectContaining({
      code: 'library_missing',
      message: expect.stringMatching(/^libmissing.so.2 or libmissing.so.1 cannot be loaded: .*LD_LIBRARY_PATH/),
    }),
  );
});
