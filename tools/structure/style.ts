import type { Source } from './sources.ts';

const MOST_LINES = 300;
/** Tests may be longer, because they are lists of independent cases. */
const MOST_TEST_LINES = 500;
/** Names that do not describe the content. */
const EMPTY_NAMES = /(^|[-_.])(utils?|helpers?|common|misc)([-_.]|$)/i;

/** Finds files that are too long. */
export function findLongFiles(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, lines }) => {
    const most = path.endsWith('.test.ts') ? MOST_TEST_LINES : MOST_LINES;
    return lines > most ? [`${path} has ${lines} lines; past ${most} it asks to be split`] : [];
  });
}

/** Finds files and folders with a meaningless name. */
export function findEmptyNames(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path.split('/').some((part) => EMPTY_NAMES.test(part)))
    .map(({ path }) => `${path}: name it by what it is or does`);
}
