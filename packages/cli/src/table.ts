/** Formats rows as left-aligned columns, two spaces apart, without trailing spaces. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, lengthOf(cell))));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - lengthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** Counts visible characters, because names may be in any language. */
function lengthOf(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length;
}
