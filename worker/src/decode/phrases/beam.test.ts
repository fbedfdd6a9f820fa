import fc from 'fast-check';
import { GreedyCtc } from '../ctc.ts';
import { PauseFinder } from '../pauses.ts';
import { Transcript } from '../pieces.ts';
import { PhraseBeam } from './beam.ts';
import { PhraseGraph } from './graph.ts';

const PIECES = ['▁nye', '▁nya', 'ri', 're', '▁na', '<blk>'];
const BLANK = PIECES.length - 1;
const [NYE, NYA, RI, RE, NA] = [0, 1, 2, 3, 4];

/**
 * Returns the log-probabilities of one frame. The given classes have the given probabilities. All other classes have a
 * very low probability.
 */
const frame = (...entries: [id: number, probability: number][]): number[] =>
  PIECES.map((_, id) => Math.log(entries.find(([one]) => one === id)?.[1] ?? 1e-9));
const blank = frame([BLANK, 1]);

interface Options {
  readonly phrases?: readonly string[];
  readonly boost?: number;
  readonly beam?: number;
}

function start({ phrases = [], boost = 5, beam }: Options = {}): { transcript: Transcript; search: PhraseBeam } {
  const transcript = new Transcript(PIECES);
  const graph = new PhraseGraph(phrases.map((text) => ({ text, boost })));
  return { transcript, search: new PhraseBeam(BLANK, PIECES, graph, transcript, beam) };
}

/** Decodes chunks of frames and returns the transcript after each chunk. */
function decode(chunks: readonly number[][][], options: Options = {}): string[] {
  const { transcript, search } = start(options);
  return chunks.map((rows) => {
    search.decode(Float32Array.from(rows.flat()), 0, rows.length);
    return transcript.text;
  });
}

/** Frames for which the model prefers "nyare" slightly to "nyeri". */
const unsure = [frame([NYA, 0.6], [NYE, 0.4]), blank, frame([RE, 0.7], [RI, 0.3]), blank];

describe('PhraseBeam', () => {
  test.each([1, 8])('returns the same result as the greedy search if there are no phrases (beam of %d)', (beam) => {
    const rows = fc.array(fc.array(fc.float({ min: -8, max: 0, noNaN: true }), { minLength: 6, maxLength: 6 }));
    fc.assert(
      fc.property(rows, rows, (...chunks) => {
        const { transcript, search } = start({ beam });
        const expected = new Transcript(PIECES);
        const greedy = new GreedyCtc(BLANK, expected);
        for (const transcriptOf of [transcript, expected]) transcriptOf.pauses = new PauseFinder(2);
        for (const chunk of chunks) {
          const scores = Float32Array.from(chunk.flat());
          search.decode(scores, 0, chunk.length);
          greedy.decode(scores, 0, chunk.length);
          expect(transcript.ids).toEqual(expected.ids);
        }
        const frames = chunks.flat().length;
        expect(transcript.words(80, frames * 80)).toEqual(expected.words(80, frames * 80));
        expect(transcript.speechFrame).toBe(expected.speechFrame);
        expect(transcript.pauses?.find(frames)).toBe(expected.pauses?.find(frames));
      }),
    );
  });

  test('recognizes a phrase if its score is close to that of the best text', () => {
    expect(decode([unsure])).toEqual(['nyare']);
    expect(decode([unsure], { phrases: ['nyeri'] })).toEqual(['nyeri']);
  });

  test('recognizes a phrase in which a piece occurs twice in a row, although the best path has no blank between the two', () => {
    const rows = [frame([NYE, 1]), frame([RI, 1]), frame([RI, 0.9], [BLANK, 0.1]), frame([RI, 1])];
    expect(decode([rows])).toEqual(['nyeri']);
    expect(decode([rows], { phrases: ['nyeriri'] })).toEqual(['nyeriri']);
  });

  test('does not recognize a phrase if its boost is too small to make up for its low score', () => {
    const clear = [frame([NYA, 0.98], [NYE, 0.02]), blank, frame([RE, 0.98], [RI, 0.02]), blank];
    expect(decode([clear], { phrases: ['nyeri'], boost: 5 })).toEqual(['nyare']);
    expect(decode([clear], { phrases: ['nyeri'], boost: 10 })).toEqual(['nyeri']);
  });

  test('keeps the best text if another text contains only the start of a phrase', () => {
    const start = [frame([NYA, 0.6], [NYE, 0.4]), blank, frame([RE, 1]), blank, frame([NA, 1])];
    expect(decode([start], { phrases: ['nyeri'] })).toEqual(['nyare na']);
    expect(decode([unsure.slice(0, 2)], { phrases: ['nyeri'] })).toEqual(['nya']);
  });

  test('changes the text of an earlier chunk if a phrase starts in that chunk and ends in a later one', () => {
    const chunks = [[frame([NA, 1]), ...unsure.slice(0, 2)], unsure.slice(2), [frame([NA, 1])]];
    expect(decode(chunks, { phrases: ['nyeri'] })).toEqual(['na nya', 'na nyeri', 'na nyeri na']);
  });

  test('reports the times of the pieces of a phrase, and their confidence without the boost of the phrase', () => {
    const { transcript, search } = start({ phrases: ['nyeri'] });
    search.decode(Float32Array.from([blank, ...unsure].flat()), 0, 5);
    expect(transcript.words(80, 1000)).toEqual([{ text: 'nyeri', start_ms: 80, end_ms: 320, confidence: 0.12 }]);
  });

  test('restores the saved state of the search and the saved transcript, even if a phrase has replaced saved pieces', () => {
    const { transcript, search } = start({ phrases: ['nyeri'] });
    search.decode(Float32Array.from(unsure.slice(0, 2).flat()), 0, 2);
    const restores = [search.save(), transcript.save()];
    const rest = () => search.decode(Float32Array.from(unsure.slice(2).flat()), 0, 2);
    rest();
    expect(transcript.text).toBe('nyeri');
    for (const restore of restores) restore();
    expect(transcript.text).toBe('nya');
    rest();
    expect(transcript.words(80, 1000)).toMatchObject([{ text: 'nyeri', start_ms: 0, end_ms: 240 }]);
  });

  test('decodeTop() finds a phrase if it gets only the best classes of each frame, as a GPU returns them', () => {
    const { transcript, search } = start({ phrases: ['nyeri'] });
    const top = { count: 2, ids: Int32Array.of(9, 9, NYA, NYE, BLANK, NA, RE, RI), scores: new Float32Array(8) };
    top.scores.set([0, 0, 0.6, 0.4, 1, 1e-9, 0.7, 0.3].map(Math.log));
    search.decodeTop(top, 1, 3);
    expect(transcript.text).toBe('nyeri');
  });

  test('finds a pause after a phrase whose last piece is not the best class of its frame', () => {
    const { transcript, search } = start({ phrases: ['nyeri'] });
    transcript.pauses = new PauseFinder(3);
    const rows = [frame([NYE, 1]), blank, frame([BLANK, 0.6], [RI, 0.4]), blank, blank, blank];
    search.decode(Float32Array.from(rows.flat()), 0, rows.length);
    expect(transcript.text).toBe('nyeri');
    expect(transcript.pauses.find(5)).toBeUndefined();
    expect(transcript.pauses.find(6)).toBe(6);
  });

  test('ignores frames whose scores are not numbers', () => {
    const invalid = PIECES.map(() => NaN);
    expect(decode([[...unsure.slice(0, 2), invalid, ...unsure.slice(2)]], { phrases: ['nyeri'] })).toEqual(['nyeri']);
  });
});
