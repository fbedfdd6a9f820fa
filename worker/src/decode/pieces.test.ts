import { Transcript } from './pieces.ts';

const pieces = ['<unk>', '▁mw', 'a', '▁ka', 'na', '▁', '<blk>'];
const transcript = (...entries: [number, number][]): Transcript => {
  const result = new Transcript(pieces);
  for (const [id, frame] of entries) result.add(id, frame);
  return result;
};

test('Transcript joins pieces into words at their word-start marks', () => {
  expect(transcript([1, 3], [2, 4], [3, 7], [4, 9]).text).toBe('mwa kana');
});

test('Transcript reports a word from the start of its first piece to the end of its last piece', () => {
  expect(transcript([1, 3], [2, 4], [3, 7], [4, 9]).words(80, 2000)).toEqual([
    { text: 'mwa', start_ms: 240, end_ms: 400 },
    { text: 'kana', start_ms: 560, end_ms: 800 },
  ]);
});

test('Transcript starts a new word at a piece that is only a word-start mark', () => {
  expect(
    transcript([4, 0], [5, 1], [4, 2])
      .words(80, 2000)
      .map(({ text }) => text),
  ).toEqual(['na', 'na']);
});

test('Transcript limits word times to the duration of the audio', () => {
  expect(transcript([1, 10]).words(80, 790)).toEqual([{ text: 'mw', start_ms: 710, end_ms: 790 }]);
  expect(transcript([1, 0]).words(80, 30)).toEqual([{ text: 'mw', start_ms: 0, end_ms: 30 }]);
});

test('Transcript shows an unknown piece as a question mark', () => {
  expect(transcript([1, 0], [0, 1]).text).toBe('mw ⁇');
});
