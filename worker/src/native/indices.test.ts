import { buildFraming } from '../features/framing.ts';
import type { DeviceArenas } from './arenas.ts';
import type { GraphShape } from './contract.ts';
import { IndexCheck } from './indices.ts';
import type { BatchInputs } from './indices.ts';

/** A graph with pages of 2 frames, which reads 2 past pages. */
const SHAPE = {
  frames: 2,
  pages: 2,
  context: [4, 1],
  samples: 100,
  framing: buildFraming(1, 8),
} as unknown as GraphShape;
/**
 * Arenas whose largest page has 3 frames. The zero page starts at frame 0 and the scratch page at frame 3. The pages of
 * streams are in frames 6 to 19.
 */
const ARENAS = { firstFrame: 6, scratchFrame: 3, size: { frames: 20, slots: 5, pageFrames: 3 } } as DeviceArenas;

/**
 * Returns two valid rows. The first row reads the pages at frames 6 and 8 and writes the page at 10. The second row
 * reads the page at 12 and writes the page at 14.
 */
function createInputs(): BatchInputs {
  return {
    pcm: new Int16Array(200),
    bounds: Int32Array.from([0, 100, 0, 25, 10, 20, 3, 4]),
    past: Int32Array.from([6, 8, 0, 12]),
    page: Int32Array.from([10, 14]),
    tailFrom: Int32Array.from([2, 0]),
    tailTo: Int32Array.from([2, 3]),
    filled: Int32Array.from([4, 2]),
    prompt: new BigInt64Array(0),
  };
}

type Field = Exclude<keyof BatchInputs, 'pcm' | 'prompt'>;

test.each<[Field, number, number, string]>([
  ['page', 1, 6, 'the first page'],
  ['page', 1, 18, 'the last page'],
  ['page', 1, 3, 'the scratch page'],
  ['page', 0, 6, 'a page that the row itself reads'],
  ['past', 3, 0, 'the zero page'],
  ['past', 3, 18, 'the last page'],
  ['past', 0, 12, 'a page that another row reads'],
  ['tailTo', 1, 1, 'the scratch slot'],
  ['tailTo', 1, 4, 'the last slot'],
  ['tailFrom', 1, 4, 'the last slot'],
  ['tailFrom', 1, 3, 'the slot that the row itself writes'],
  ['filled', 0, 0, 'no past'],
  ['bounds', 4, 0, 'the first sample'],
  ['bounds', 5, 10, 'no valid sample'],
  ['bounds', 7, 25, 'the end of the window'],
])('IndexCheck accepts %s[%d] = %d (%s)', (field, at, value) => {
  const inputs = createInputs();
  if (field === 'page' && value === 6 && at === 1) inputs.past[0] = 0;
  inputs[field][at] = value;
  expect(() => new IndexCheck(ARENAS).check(SHAPE, inputs, 2)).not.toThrow();
});

test.each<[Field, number, number, RegExp]>([
  ['page', 1, 5, /row 1 of the batch: page 5 is not between 6 and 18/],
  ['page', 1, 19, /page 19 is not between/],
  ['page', 1, 0, /page 0 is not between/],
  ['page', 1, -1, /page -1 is not between/],
  ['page', 1, 10, /page 10 overlaps that of row 0/],
  ['page', 1, 11, /page 11 overlaps that of row 0/],
  ['page', 1, 8, /row 0 of the batch: past 8 overlaps the page that row 1 writes/],
  ['past', 3, 3, /past 3 is not between 6 and 18/],
  ['past', 3, 1, /past 1 is not between/],
  ['past', 3, 19, /past 19 is not between/],
  ['past', 3, 9, /past 9 overlaps the page that row 0 writes/],
  ['tailTo', 1, 0, /tail_to 0 is not between 2 and 4/],
  ['tailTo', 1, 5, /tail_to 5 is not between/],
  ['tailTo', 1, 2, /tail_to 2 is that of row 0 too/],
  ['tailFrom', 1, 1, /tail_from 1 is not between 2 and 4/],
  ['tailFrom', 1, 5, /tail_from 5 is not between/],
  ['tailFrom', 1, 2, /tail_from 2 is the slot that row 0 writes/],
  ['filled', 0, 5, /filled 5 is not between 0 and 4/],
  ['filled', 0, -1, /filled -1 is not between/],
  ['bounds', 0, -1, /first sample -1/],
  ['bounds', 1, 101, /end of samples 101/],
  ['bounds', 5, 9, /end of samples 9 is not between 10 and 100/],
  ['bounds', 6, 26, /first frame 26/],
  ['bounds', 7, 2, /end of frames 2 is not between 3 and 25/],
])('IndexCheck rejects %s[%d] = %d', (field, at, value, message) => {
  const inputs = createInputs();
  inputs[field][at] = value;
  const check = new IndexCheck(ARENAS);
  expect(() => check.check(SHAPE, inputs, 2)).toThrow(
    expect.objectContaining({ code: 'index_invalid', message: expect.stringMatching(message) }),
  );
  // The rejected batch must leave no marks behind. Otherwise this valid batch would not pass the check.
  expect(() => check.check(SHAPE, createInputs(), 2)).not.toThrow();
});

test('IndexCheck rejects a past page that overlaps both the page that its own row writes and the page that another row writes', () => {
  const inputs = createInputs();
  inputs.page.set([10, 12]);
  inputs.past.set([11, 0, 0, 0]);
  expect(() => new IndexCheck(ARENAS).check(SHAPE, inputs, 2)).toThrow('past 11 overlaps the page that row 1 writes');
});

test('IndexCheck ignores rows after the given number of rows', () => {
  const inputs = createInputs();
  inputs.page[1] = -1;
  expect(() => new IndexCheck(ARENAS).check(SHAPE, inputs, 1)).not.toThrow();
});
