/**
 * Returns for each recognized word whether it is right. The words are aligned with the spoken words by the smallest
 * number of insertions, deletions and substitutions.
 */
export function findRightWords(spoken: readonly string[], recognized: readonly string[]): boolean[] {
  const costs = alignmentCosts(spoken, recognized);
  const cost = (i: number, j: number) => costs[i]?.[j] ?? Infinity;
  const isRight = recognized.map(() => false);
  let [i, j] = [spoken.length, recognized.length];
  while (i > 0 && j > 0) {
    const isSame = spoken[i - 1] === recognized[j - 1];
    if (cost(i, j) === cost(i - 1, j - 1) + (isSame ? 0 : 1)) {
      isRight[j - 1] = isSame;
      i--;
      j--;
    } else if (cost(i, j) === cost(i - 1, j) + 1) i--;
    else j--;
  }
  return isRight;
}

/** Returns the edit distances between the first i spoken words and the first j recognized words. */
function alignmentCosts(spoken: readonly string[], recognized: readonly string[]): number[][] {
  const costs = [Array.from({ length: recognized.length + 1 }, (_, at) => at)];
  for (const [i, word] of spoken.entries()) {
    const [above, row] = [costs[i] ?? [], [i + 1]];
    for (const [j, other] of recognized.entries()) {
      const replaced = (above[j] ?? 0) + (word === other ? 0 : 1);
      row.push(Math.min(replaced, (above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    costs.push(row);
  }
  return costs;
}
