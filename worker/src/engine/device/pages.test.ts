import fc from 'fast-check';
import { fillPast, framesPerSlot, layOutArenas, pageOf, pagesOf, stateOf } from './pages.ts';
import type { PageShape } from './pages.ts';

const shapes: PageShape[] = [14, 7, 4, 2, 1].map((chunk) => ({ left: 56, chunk }));
const shape = fc.record({ left: fc.integer({ min: 1, max: 80 }), chunk: fc.integer({ min: 1, max: 20 }) });

test('framesPerSlot is the left context, rounded up to a multiple of the chunk, plus one page', () => {
  expect(framesPerSlot(shapes)).toBe(70);
  expect(framesPerSlot([{ left: 70, chunk: 4 }])).toBe(76);
});

test('fillPast lists the zero page for each window before the utterance, and then the pages of the last windows', () => {
  const layout = layOutArenas(3, shapes);
  const past = (k: number) => {
    const out = new Int32Array(4);
    fillPast(layout, { left: 56, chunk: 14 }, 1, k, out, 0);
    return [...out];
  };
  const zero = layout.zeroPage;
  expect(past(0)).toEqual([zero, zero, zero, zero]);
  // Slot 1 starts after two reserved pages of 14 frames and the 70 frames of slot 0.
  expect(past(2)).toEqual([zero, zero, 98, 112]);
  expect(past(5)).toEqual([112, 126, 140, 154]);
  expect(past(6)).toEqual([126, 140, 154, 98]);
});

test('Pages of two slots never overlap, and no page of a slot overlaps the zero page or the scratch page', () => {
  fc.assert(
    fc.property(fc.array(shape, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 6 }), (contexts, slots) => {
      const layout = layOutArenas(slots, contexts);
      const owner = new Int32Array(layout.frames).fill(-1);
      owner.fill(-2, layout.zeroPage, layout.zeroPage + layout.pageFrames);
      owner.fill(-3, layout.scratchPage, layout.scratchPage + layout.pageFrames);
      const conflicts: number[] = [];
      for (let slot = 0; slot < slots; slot++) {
        for (const context of contexts) {
          for (let k = 0; k < 2 * pagesOf(context); k++) {
            const page = pageOf(layout, context, slot, k);
            const taken = owner.subarray(page, page + context.chunk);
            if (taken.length !== context.chunk || taken.some((by) => by !== -1 && by !== slot)) conflicts.push(page);
            taken.fill(slot);
          }
        }
      }
      expect(conflicts).toEqual([]);
      expect(layout.pageFrames).toBe(Math.max(...contexts.map(({ chunk }) => chunk)));
    }),
  );
});

test('fillPast lists the pages that the last windows wrote, the oldest first, for any number of windows', () => {
  fc.assert(
    fc.property(shape, fc.nat(200), fc.nat(3), (context, k, slot) => {
      const layout = layOutArenas(4, [context]);
      const wrote = new Map<number, number>();
      for (let window = 0; window < k; window++) wrote.set(pageOf(layout, context, slot, window), window);
      const past = new Int32Array(pagesOf(context));
      fillPast(layout, context, slot, k, past, 0);
      const windows = Array.from(past, (page) => (page === layout.zeroPage ? 'none' : wrote.get(page)));
      const expected = Array.from(past, (_, i) => (k - past.length + i < 0 ? 'none' : k - past.length + i));
      expect(windows).toEqual(expected);
      // A window does not overwrite a page that it reads. So the window can be run again.
      expect([...past]).not.toContain(pageOf(layout, context, slot, k));
      expect(past.length * context.chunk).toBeGreaterThanOrEqual(context.left);
    }),
  );
});

test('stateOf returns two tails for each slot, which consecutive windows use in turn, and which no other slot uses', () => {
  const layout = layOutArenas(5, shapes);
  const tails = [0, 1, 2, 3, 4].flatMap((slot) => [stateOf(slot, 6), stateOf(slot, 7)]);
  expect(new Set([...tails, layout.zeroTail, layout.scratchTail]).size).toBe(layout.tails);
  expect(Math.max(...tails)).toBe(layout.tails - 1);
  expect(stateOf(3, 8)).toBe(stateOf(3, 6));
});
