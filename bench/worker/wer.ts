import { editDistance } from '../../loadtest/lib/edit-distance.ts';

/** Word error rate of transcripts in percent, over all of them together. */
export function wordErrorRate(references: readonly string[], transcripts: readonly string[]): number {
  let [errors, words] = [0, 0];
  references.forEach((reference, i) => {
    const expected = reference.split(' ');
    errors += editDistance(expected, (transcripts[i] ?? '').split(' '));
    words += expected.length;
  });
  return (100 * errors) / words;
}
