import { editDistance } from './edit-distance.ts';

/** The words of a text as error rates count them: k6's regular expressions know no classes of letters. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFC')
    .toLowerCase()
    .split(/[\s.,;:!?"()]+/)
    .filter((word) => word !== '');
}

/** The least insertions, deletions and substitutions that make one text of the other. */
export function wordErrors(spoken: string, transcript: string): number {
  return editDistance(wordsOf(spoken), wordsOf(transcript));
}
