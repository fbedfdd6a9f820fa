import { Transcript } from './pieces.ts';

const pieces = ['<unk>', '▁mw', 'a', '▁ka', 'na', '▁', '<blk>'];
/** Builds a transcript of pieces with their frames and probabilities. The default probability is 1. */
const transcript = (...entries: [id: number, frame: number, probability?: number][]): Transcript => {
  const result = new Transcript(pieces);
  for (const [id, frame, probability = 1] of entries) result.add(id, frame, Math.log(probability));
  return result;
};

test('Transcript joins pieces into words at their word-start marks', () => {
  expect(transcript([1, 3], [2, 4], [3, 7], [4, 9]).text).toBe('mwa kana');
});

test('Transcript reports a word from the start of its first piece to the end of its last piece', () => {
  expect(transcript([1, 3], [2, 4], [3, 7], [4, 9]).words(80, 2000)).toEqual([
    { text: 'mwa', start_ms: 240, end_ms: 400, confidence: 1 },
    { text: 'kana', start_ms: 560, end_ms: 800, confidence: 1 },
  ]);
});

test('Transcript gives each word the product of the probabilities of its pieces as confidence', () => {
  const confidences = (...entries: Parameters<typeof transcript>) =>
    transcript(...entries)
      .words(80, 2000)
      .map(({ confidence }) => confidence);
  expect(confidences([1, 3, 0.9], [2, 4, 0.5], [3, 7, 0.8], [4, 9])).toEqual([0.45, 0.8]);
  expect(confidences([1, 3, 0.9], [0, 4, 0.25])).toEqual([0.9, 0.25]);
});

test('Transcript ignores pieces without text when it computes the confidence of a word', () => {
  const [first, second] = transcript([4, 0, 0.9], [5, 1, 0.1], [4, 2, 0.7]).words(80, 2000);
  expect([first?.confidence, second?.confidence]).toEqual([0.9, 0.7]);
});

test('Transcript forgets the probabilities of pieces that are removed again', () => {
  const result = transcript([1, 3, 0.9]);
  const restore = result.save();
  result.add(2, 4, Math.log(0.1));
  restore();
  result.add(2, 5, Math.log(0.5));
  expect(result.words(80, 2000)).toMatchObject([{ text: 'mwa', confidence: 0.45 }]);
});

test('Transcript starts a new word at a piece that is only a word-start mark', () => {
  expect(
    transcript([4, 0], [5, 1], [4, 2])
      .words(80, 2000)
      .map(({ text }) => text),
  ).toEqual(['na', 'na']);
});

test('Transcript limits word times to the duration of the audio', () => {
  expect(transcript([1, 10]).words(80, 790)).toMatchObject([{ text: 'mw', start_ms: 710, end_ms: 790 }]);
  expect(transcript([1, 0]).words(80, 30)).toMatchObject([{ text: 'mw', start_ms: 0, end_ms: 30 }]);
});

test('Transcript shows an unknown piece as a double question mark', () => {
  expect(transcript([1, 0], [0, 1]).text).toBe('mw ⁇');
});

test('Transcript.truncate removes the last pieces with their text, words and start of speech', () => {
  const result = transcript([5, 1], [1, 3], [2, 4], [3, 7], [4, 9]);
  result.truncate(3);
  expect(result.text).toBe('mwa');
  expect(result.words(80, 2000).map(({ text }) => text)).toEqual(['mwa']);
  result.truncate(4);
  expect([result.ids.length, result.speechFrame]).toEqual([3, 3]);
  result.truncate(1);
  expect([result.text, result.speechFrame]).toEqual(['', undefined]);
  result.add(3, 8, 0);
  expect([result.text, result.speechFrame]).toEqual(['ka', 8]);
});
