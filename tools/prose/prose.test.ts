import { checkTestName, checkText } from './check-text.ts';
import { joinComments } from './comments.ts';
import { countWords, MAX_WORDS, splitSentences } from './sentences.ts';

describe('checkText', () => {
  test('accepts plain sentences', () => {
    expect(checkText('Creates the pool of a model. The pool starts empty.')).toEqual([]);
  });

  test.each([
    ['The file is read anew.', 'anew'],
    ['Whoever holds it releases it.', 'Whoever'],
    ['The resource is in force.', 'in force'],
    ['The worker tells the gateway.', 'tells'],
  ])('rejects a term of the vocabulary in "%s"', (text, term) => {
    expect(checkText(text).join('\n')).toContain(`Do not write "${term}"`);
  });

  test('ignores terms inside backticks, because code is not prose', () => {
    expect(checkText('Calls `tell` with the line.')).toEqual([]);
  });

  test('rejects a sentence whose first words hide the subject', () => {
    expect(checkText('What is left of the budget.')).toEqual([expect.stringContaining('What is')]);
  });

  test('accepts a sentence with the maximum number of words and rejects a sentence with one word more', () => {
    const sentence = (words: number) => `${'word '.repeat(words).trim()}.`;
    expect(checkText(sentence(MAX_WORDS))).toEqual([]);
    expect(checkText(sentence(MAX_WORDS + 1))).toEqual([expect.stringContaining(`${MAX_WORDS + 1} words`)]);
  });
});

describe('checkTestName', () => {
  test('rejects a name that starts with a verb if no describe block names the subject', () => {
    expect(checkTestName('refuses a used credential', false)).toEqual([expect.stringContaining('"refuses"')]);
    expect(checkTestName('refuses a used credential', true)).toEqual([]);
    expect(checkTestName('the handshake refuses a used credential', false)).toEqual([]);
  });
});

describe('joinComments', () => {
  const at = (line: number, column = 0) => ({ start: { line, column }, end: { line, column: column + 10 } });

  test('joins consecutive line comments, since a sentence may span them', () => {
    const comments = [
      { type: 'Line' as const, value: ' The first half', loc: at(1) },
      { type: 'Line' as const, value: ' and the second.', loc: at(2) },
      { type: 'Line' as const, value: ' Another comment.', loc: at(4) },
    ];
    expect(joinComments(comments).map(({ text }) => text)).toEqual([
      'The first half and the second.',
      'Another comment.',
    ]);
  });

  test('strips the stars of a block comment and leaves directives out', () => {
    const comments = [
      { type: 'Block' as const, value: '*\n * Creates a pool.\n * @param name of the model\n ', loc: at(1) },
      { type: 'Line' as const, value: ' eslint-disable-next-line no-console', loc: at(9) },
    ];
    expect(joinComments(comments).map(({ text }) => text)).toEqual(['Creates a pool.']);
  });
});

test('splitSentences ends a sentence at a period, and countWords leaves numbers and symbols out', () => {
  expect(splitSentences('It costs 5 s. See `a.b.c` for more.')).toHaveLength(2);
  expect(countWords('It costs 5 s = 3 %')).toBe(3);
});
