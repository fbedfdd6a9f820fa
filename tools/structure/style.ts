import type { Source } from './sources.ts';

const MOST_LINES = 300;
/** A test is a list of cases, which is read in pieces. */
const MOST_TEST_LINES = 500;
/** Names that say nothing about what is inside. */
const EMPTY_NAMES = /(^|[-_.])(utils?|helpers?|common|misc)([-_.]|$)/i;

/** Files that are too long. */
export function findLongFiles(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, lines }) => {
    const most = path.endsWith('.test.ts') ? MOST_TEST_LINES : MOST_LINES;
    return lines > most ? [`${path} has ${lines} lines; past ${most} it asks to be split`] : [];
  });
}

/** Files and folders whose name says nothing. */
export function findEmptyNames(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path.split('/').some((part) => EMPTY_NAMES.test(part)))
    .map(({ path }) => `${path}: name it by what it is or does`);
}
