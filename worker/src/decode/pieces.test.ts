import { Transcript } from './pieces.ts';

const pieces = ['<unk>', '▁mw', 'a', '▁ka', 'na', '▁', '<blk>'];
const transcript = (...heard: [number, number][]): Transcript => {
  const result = new Transcript(pieces);
  for (const [id, frame] of heard) result.add(id, frame);
  return result;
};

test('pieces become words at their marks', () => {
  expect(transcript([1, 3], [2, 4], [3, 7], [4, 9]).text).toBe('mwa kana');
});

test('a word lasts from its first piece to the end of its last', () => {
  expect(transcript([1, 3], [2, 4], [3, 7], [4, 9]).words(80, 2000)).toEqual([
    { text: 'mwa', start_ms: 240, end_ms: 400 },
    { text: 'kana', start_ms: 560, end_ms: 800 },
  ]);
});

test('a mark of its own starts the next word', () => {
  expect(
    transcript([4, 0], [5, 1], [4, 2])
      .words(80, 2000)
      .map(({ text }) => text),
  ).toEqual(['na', 'na']);
});

test('no word leaves the audio', () => {
  expect(transcript([1, 10]).words(80, 790)).toEqual([{ text: 'mw', start_ms: 710, end_ms: 790 }]);
  expect(transcript([1, 0]).words(80, 30)).toEqual([{ text: 'mw', start_ms: 0, end_ms: 30 }]);
});

test('an unknown piece is visible', () => {
  expect(transcript([1, 0], [0, 1]).text).toBe('mw ⁇');
});
