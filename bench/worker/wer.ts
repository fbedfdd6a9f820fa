/** Word error rate of transcripts in percent, over all of them together. */
export function wordErrorRate(references: readonly string[], transcripts: readonly string[]): number {
  let [errors, words] = [0, 0];
  references.forEach((reference, i) => {
    const expected = reference.split(' ');
    errors += distance(expected, (transcripts[i] ?? '').split(' '));
    words += expected.length;
  });
  return (100 * errors) / words;
}

/** Fewest insertions, deletions and substitutions that turn one list into the other. */
function distance(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  a.forEach((word, i) => {
    const next = [i + 1];
    b.forEach((other, j) => {
      const substituted = (row[j] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    });
    row = next;
  });
  return row[b.length] ?? 0;
}
