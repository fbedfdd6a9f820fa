import { GreedyCtc } from './ctc.ts';
import { Transcript } from './pieces.ts';

const BLANK = 3;
const rows = (...path: number[]): Float32Array =>
  Float32Array.from(path.flatMap((id) => [0, 1, 2, 3].map((c) => (c === id ? 0 : -9))));
const decode = (...chunks: number[][]): readonly number[] => {
  const transcript = new Transcript(['a', 'b', 'c', '<blk>']);
  const search = new GreedyCtc(BLANK, transcript);
  for (const chunk of chunks) search.decode(rows(...chunk), 0, chunk.length);
  return transcript.ids;
};

test('repeats are one piece and a blank parts them', () => {
  expect(decode([0, 0, 3, 0, 1, 1, 3])).toEqual([0, 0, 1]);
});

test('a repeat across chunks is still one piece', () => {
  expect(decode([0, 1], [1, 3], [1])).toEqual([0, 1, 1]);
});

test('rows past the count are not looked at', () => {
  const transcript = new Transcript(['a', 'b', 'c', '<blk>']);
  new GreedyCtc(BLANK, transcript).decode(rows(0, 1, 2), 0, 2);
  expect(transcript.ids).toEqual([0, 1]);
});
