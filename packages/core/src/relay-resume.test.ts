import fc from 'fast-check';
import { parseResumeNumber, ResendBuffer } from './relay-resume.ts';

const join = (pieces: readonly Uint8Array[]) => pieces.flatMap((piece) => [...piece]);

test('ResendBuffer returns exactly the bytes that follow the last acknowledged position or any later position', () => {
  const batches = fc.array(fc.array(fc.uint8Array({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }));
  fc.assert(
    fc.property(batches, fc.nat(60), fc.nat(60), (written, acknowledged, received) => {
      const buffer = new ResendBuffer(10_000);
      for (const pieces of written) buffer.add(pieces, join(pieces).length);
      const bytes = join(written.flat());
      expect(buffer.acknowledge(acknowledged)).toBe(acknowledged <= bytes.length);
      const kept = acknowledged <= bytes.length ? acknowledged : 0;
      expect(buffer.has(received)).toBe(received >= kept && received <= bytes.length);
      if (buffer.has(received)) expect(join(buffer.after(received))).toEqual(bytes.slice(received));
    }),
  );
});

test('ResendBuffer ignores an acknowledgement of fewer bytes than the last resume confirmed', () => {
  const buffer = new ResendBuffer(1000);
  buffer.add([new Uint8Array(100)], 100);
  buffer.after(80);
  expect(buffer.acknowledge(60)).toBe(true);
  expect([buffer.has(60), buffer.has(80)]).toEqual([false, true]);
});

test('ResendBuffer accepts acknowledgements after more than 4 GiB were sent, although an acknowledgement has only 32 bits', () => {
  const buffer = new ResendBuffer(1000);
  const piece = new Uint8Array(100);
  const total = 2 ** 32 + 50;
  // ResendBuffer does not measure the pieces but counts the given number of bytes. One small piece can represent 256
  // MiB.
  for (let sent = 0; sent < total; sent += 2 ** 28) {
    const bytes = Math.min(2 ** 28, total - sent);
    buffer.add([piece], bytes);
    expect(buffer.acknowledge((sent + bytes) % 2 ** 32)).toBe(true);
  }
  expect([buffer.has(total - 1), buffer.has(total)]).toEqual([false, true]);
});

test('ResendBuffer drops the oldest bytes when it exceeds its limit, and still returns the newest bytes', () => {
  const buffer = new ResendBuffer(100);
  for (let i = 0; i < 20; i++) buffer.add([new Uint8Array(10).fill(i)], 10);
  expect(buffer.has(99)).toBe(false);
  expect(join(buffer.after(185))).toEqual([...new Array<number>(5).fill(18), ...new Array<number>(10).fill(19)]);
});

test.each([
  ['12', 12],
  ['', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['9'.repeat(16), undefined],
  [undefined, undefined],
  [['1', '2'], undefined],
])('parseResumeNumber parses the header value %j as %s', (value, expected) => {
  expect(parseResumeNumber(value)).toBe(expected);
});
