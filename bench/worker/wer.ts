import { editDistance } from '../../loadtest/lib/edit-distance.ts';

/** Returns the word error rate over all transcripts together, in percent. */
export function wordErrorRate(references: readonly string[], transcripts: readonly string[]): number {
  let [errors, words] = [0, 0];
  references.forEach((reference, i) => {
    const expected = reference.split(' ');
    errors += editDistance(expected, (transcripts[i] ?? '').split(' '));
    words += expected.length;
  });
  return (100 * errors) / words;
}
