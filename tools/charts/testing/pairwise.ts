/** Choices of each option, by option name. */
export type Options = Readonly<Record<string, readonly object[]>>;

/** Index of the choice of each option, by option name. */
type Row = Readonly<Record<string, number>>;

/**
 * Returns a small set of combinations. For every two choices of different options, at least one combination has both.
 */
export function pairwise(options: Options): object[][] {
  const names = Object.keys(options);
  const open = new Set(allPairs(names, options));
  const rows: Row[] = [];
  while (open.size > 0) {
    const row = buildRow(names, options, open);
    for (const pair of pairsOf(row)) open.delete(pair);
    rows.push(row);
  }
  return rows.map((row) => names.map((name) => options[name]?.[row[name] ?? 0] ?? {}));
}

/**
 * Builds a row with a pair that no row contains yet. Then adds a choice of each other option, always the choice that
 * adds the most such pairs.
 */
function buildRow(names: readonly string[], options: Options, open: ReadonlySet<string>): Row {
  const [first = ''] = open;
  const row: Record<string, number> = Object.fromEntries(
    first.split(' & ').map((choice) => {
      const [name = '', at = '0'] = choice.split('=');
      return [name, Number(at)];
    }),
  );
  for (const name of names.filter((option) => !(option in row))) {
    const gains = (options[name] ?? []).map(
      (_, at) => pairsOf({ ...row, [name]: at }).filter((pair) => open.has(pair)).length,
    );
    row[name] = gains.indexOf(Math.max(...gains));
  }
  return row;
}

function allPairs(names: readonly string[], options: Options): string[] {
  return names.flatMap((left, at) =>
    names
      .slice(at + 1)
      .flatMap((right) =>
        (options[left] ?? []).flatMap((_, i) => (options[right] ?? []).map((__, j) => pairOf([left, i], [right, j]))),
      ),
  );
}

function pairsOf(row: Row): string[] {
  const choices = Object.entries(row);
  return choices.flatMap((left, at) => choices.slice(at + 1).map((right) => pairOf(left, right)));
}

function pairOf(left: [string, number], right: [string, number]): string {
  return [left, right]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, at]) => `${name}=${at}`)
    .join(' & ');
}
