import fc from 'fast-check';
import { splitLines } from './lines.ts';

async function* piecesOf(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    await Promise.resolve();
    if (cut > from) yield bytes.subarray(from, cut);
    from = Math.max(from, cut);
  }
}

async function linesOf(text: string, cuts: readonly number[], maxBytes = 1000): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(piecesOf(Buffer.from(text), cuts), maxBytes)) lines.push(line);
  return lines;
}

test('splitLines returns the same lines wherever the network splits them, even within a character', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ũ', 'ĩ', '語', '🎧', '"', '{'), minLength: 1 });
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), cuts, async (lines, places) => {
      const text = lines.map((one) => `${one}\n`).join('');
      expect(await linesOf(text, places)).toEqual(lines);
    }),
  );
});

test('splitLines does not return a last line without a newline', async () => {
  expect(await linesOf('whole\nhal', [])).toEqual(['whole']);
});

test('splitLines skips empty lines', async () => {
  expect(await linesOf('\n a\n\r\n\nb\n', [3])).toEqual([' a', 'b']);
});

test.each([[[]], [[3, 6, 9]]])(
  'splitLines fails for a line that is too long, in whatever pieces it arrives (cut at the bytes %j)',
  async (cuts) => {
    await expect(linesOf(`${'x'.repeat(20)}\n`, cuts, 19)).rejects.toThrow('longer than 19 bytes');
    expect(await linesOf(`${'x'.repeat(19)}\n`, cuts, 19)).toHaveLength(1);
  },
);
