/**
 * Returns the smallest number of insertions, deletions and substitutions that turn one list of words into the other.
 */
export function editDistance(from: readonly string[], to: readonly string[]): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  from.forEach((word, i) => {
    const next = [i + 1];
    to.forEach((other, j) => {
      const replaced = (row[j] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    });
    row = next;
  });
  return row.at(-1) ?? 0;
}
