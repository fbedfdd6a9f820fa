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

test('GreedyCtc merges repeated classes into one piece unless a blank separates them', () => {
  expect(decode([0, 0, 3, 0, 1, 1, 3])).toEqual([0, 0, 1]);
});

test('GreedyCtc merges a class that is repeated across a chunk boundary into one piece', () => {
  expect(decode([0, 1], [1, 3], [1])).toEqual([0, 1, 1]);
});

test('GreedyCtc decodes only the given number of frames and ignores further rows', () => {
  const transcript = new Transcript(['a', 'b', 'c', '<blk>']);
  new GreedyCtc(BLANK, transcript).decode(rows(0, 1, 2), 0, 2);
  expect(transcript.ids).toEqual([0, 1]);
});

test('GreedyCtc keeps the best classes of the frame that produced each piece', () => {
  const transcript = new Transcript(['a', 'b', 'c', '<blk>'], 2);
  const search = new GreedyCtc(BLANK, transcript);
  search.decode(rows(3, 1), 0, 2);
  search.decodeIds(Int32Array.of(1, 0), Float32Array.of(-1, -1), (index, count) => [{ id: index, logProb: -count }]);
  expect(transcript.decoded).toEqual([
    { id: 1, frame: 1, alternatives: [expect.objectContaining({ id: 1 }), expect.objectContaining({ id: 0 })] },
    { id: 0, frame: 3, alternatives: [{ id: 1, logProb: -2 }] },
  ]);
});

test('GreedyCtc takes the probability of a piece from the first frame that produced it', () => {
  const pieces = new Transcript(['▁a', '▁b', '<blk>']);
  const search = new GreedyCtc(2, pieces);
  const probabilities = [
    [0.6, 0.1, 0.3],
    [0.9, 0.05, 0.05],
    [0.2, 0.1, 0.7],
  ];
  search.decode(Float32Array.from(probabilities.flat(), Math.log), 0, 3);
  search.decodeIds(Int32Array.of(1, 1), Float32Array.from([0.25, 0.75], Math.log), () => []);
  expect(pieces.words(80, 1000)).toMatchObject([
    { text: 'a', confidence: 0.6 },
    { text: 'b', confidence: 0.25 },
  ]);
});
