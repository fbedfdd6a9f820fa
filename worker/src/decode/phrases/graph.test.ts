import { keptScore, PhraseGraph } from './graph.ts';
import type { Phrase, PhraseNode } from './graph.ts';

const phrases = (...texts: string[]): Phrase[] => texts.map((text) => ({ text, boost: 5 }));

/**
 * Feeds the parts of a text to the graph, one after the other. Returns the sum of the scores that the parts earn and of
 * the score that is kept when the text ends.
 */
function scoreOf(graph: PhraseGraph, ...parts: string[]): number {
  let [node, score]: [PhraseNode, number] = [graph.root, 0];
  for (const part of parts) {
    const step = graph.step(node, part);
    node = step.node;
    score += step.earned;
  }
  return score + keptScore(node);
}

describe('PhraseGraph', () => {
  const graph = new PhraseGraph(phrases('nyeri', "Murang'a"));

  test('adds a fifth of the boost for each character of a phrase, in any division into pieces', () => {
    expect(scoreOf(graph, ' nyeri')).toBeCloseTo(5);
    expect(scoreOf(graph, ' ', 'n', 'yeri')).toBeCloseTo(5);
    expect(scoreOf(new PhraseGraph([{ text: 'nyeri', boost: 1 }]), ' nyeri')).toBeCloseTo(1);
  });

  test('compares phrases regardless of case, Unicode normalization and the form of the apostrophe', () => {
    expect(scoreOf(graph, " murang'a")).toBeCloseTo(8);
    expect(scoreOf(new PhraseGraph(phrases('MURANG\u2019A')), " murang'a")).toBeCloseTo(8);
    expect(scoreOf(new PhraseGraph(phrases('u\u0303gi')), ' \u0169gi')).toBeCloseTo(3);
  });

  test('adds the score of each phrase in a text', () => {
    expect(scoreOf(graph, ' kuuma', ' nyeri', " murang'a", ' nyeri', ' na')).toBeCloseTo(18);
  });

  test.each([' nye', ' nyerinyeri', ' nyeria', ' anyeri', 'nyeri', ' nye ri'])(
    'adds nothing for "%s", in which the phrase is not a whole word after a space',
    (text) => {
      expect(scoreOf(graph, text)).toBe(0);
      expect(scoreOf(graph, text, ' na')).toBe(0);
    },
  );

  test('adds a score for the start of a phrase, and drops this score when the text continues differently', () => {
    const part = graph.step(graph.root, ' nye');
    expect(part.node.pending).toBeCloseTo(3);
    expect(graph.step(part.node, 'na')).toEqual({ node: graph.root, earned: 0 });
  });

  test.each([[['nyeri', 'nyeri town']], [['nyeri town', 'nyeri']]])(
    'finds a phrase that is the start of another phrase (%j)',
    (texts) => {
      const both = new PhraseGraph(phrases(...texts));
      expect(scoreOf(both, ' nyeri')).toBeCloseTo(5);
      expect(scoreOf(both, ' nyeri', ' na')).toBeCloseTo(5);
      expect(scoreOf(both, ' nyeri', ' to', ' na')).toBeCloseTo(5);
      expect(scoreOf(both, ' nyeri', ' town', ' na')).toBeCloseTo(10);
    },
  );

  test('finds a phrase whose first word is also in the middle of another phrase', () => {
    expect(scoreOf(new PhraseGraph(phrases('a b c', 'b d')), ' a', ' b', ' d')).toBeCloseTo(3);
  });

  test('uses the highest boost of a phrase that is given twice', () => {
    const twice = new PhraseGraph([
      { text: 'nyeri', boost: 5 },
      { text: 'Nyeri', boost: 1 },
    ]);
    expect(scoreOf(twice, ' nyeri')).toBeCloseTo(5);
  });
});
