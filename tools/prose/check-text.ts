import { countWords, MAX_WORDS, splitSentences } from './sentences.ts';
import { BAD_OPENINGS, TERMS } from './vocabulary.ts';

/** Returns what the writing rules of CONTRIBUTING.md object to in a text, one message per problem. */
export function checkText(text: string): string[] {
  const prose = text.replace(/`[^`]*`/g, 'code');
  return [...findTerms(prose), ...findBadOpening(prose), ...findLongSentences(text)];
}

/**
 * Returns the problems of a test name. `hasDescribe` is true if a `describe` block around the test names the subject.
 */
export function checkTestName(name: string, hasDescribe: boolean): string[] {
  const problems = [...findTerms(name), ...findBadOpening(name)];
  const [first = ''] = name.split(' ');
  if (!hasDescribe && BARE_VERBS.has(first)) {
    problems.push(`The test name starts with the verb "${first}". Put the subject before it, or add a describe block.`);
  }
  return problems;
}

/** Verbs that test names often start with. Without a describe block such a name does not identify what broke. */
const BARE_VERBS = new Set(
  (
    'accepts adds allows answers applies asks builds calls cancels checks cleans closes compares counts creates decides deletes ' +
    'does drains drops ends expires fails finds follows formats gets gives grows handles holds ignores is keeps kills lists ' +
    'loads logs makes maps measures moves names never opens parses passes prefers prints puts reads rebuilds records ' +
    'refuses rejects releases removes renders renews replaces reports requires resolves restarts retries returns rounds runs ' +
    'sends serves sets settles shows sorts splits starts stays stops survives takes throws treats turns uses validates verifies waits'
  ).split(' '),
);

function findTerms(text: string): string[] {
  return TERMS.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`Do not write "${found}". Write: ${instead}.`];
  });
}

function findBadOpening(text: string): string[] {
  const found = BAD_OPENINGS.exec(text.trim())?.[0];
  return found === undefined ? [] : [`Do not start with "${found}". Start with the subject.`];
}

function findLongSentences(text: string): string[] {
  return splitSentences(text).flatMap((sentence) => {
    const words = countWords(sentence);
    if (words <= MAX_WORDS) return [];
    return [`A sentence has ${words} words, more than ${MAX_WORDS}. Split it: "${sentence.slice(0, 60)}…"`];
  });
}
