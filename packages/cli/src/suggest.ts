/**
 * Maximum number of changed characters between the typed text and a suggested name, as a share of the length of the
 * name.
 */
const MAX_CHANGED_SHARE = 0.4;

/** Returns the name that the user probably meant when typing `given`. Undefined if no name is similar. */
export function suggest(given: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, changes: name.startsWith(given) && given.length > 2 ? 0 : changesBetween(given, name) }))
    .sort((one, other) => one.changes - other.changes);
  const [best] = ranked;
  if (best === undefined) return undefined;
  return best.changes <= Math.max(1, best.name.length * MAX_CHANGED_SHARE) ? best.name : undefined;
}

/**
 * Returns the smallest number of changes that turn one text into the other. Each change inserts, deletes or replaces a
 * character, or swaps two neighbours (distance of Damerau and Levenshtein).
 */
function changesBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    rows[row] = current;
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        cell(row - 1, column) + 1,
        cell(row, column - 1) + 1,
        cell(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? cell(row - 2, column - 2) + 1 : Infinity,
      );
    }
  }
  return cell(one.length, other.length);
}
