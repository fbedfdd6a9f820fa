import { wrapText } from '@svc-asr/core/subtitles';

/** Formats rows as left-aligned columns, two spaces apart, without trailing spaces. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = widthsOf(rows);
  const lines = rows.map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** A table with a heading. */
export interface Table {
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** Headings of columns that may be left out in a narrow terminal, the least important first. */
  optional: readonly string[];
}

/**
 * Formats a table for a terminal. If it is too wide, optional columns are left out. If it is still too wide, each row
 * becomes a block with one entry per column.
 */
export function fitTable({ head, rows, optional }: Table, columns: number): string {
  let [shownHead, shownRows] = [head, rows];
  for (const name of ['', ...optional]) {
    const at = shownHead.indexOf(name);
    if (at !== -1) [shownHead, shownRows] = [without(shownHead, at), shownRows.map((row) => without(row, at))];
    const text = formatTable([shownHead, ...shownRows]);
    if (text.split('\n').every((line) => lengthOf(line) <= columns)) return text;
  }
  return rows
    .map((row) =>
      formatList(
        head.map((name, at) => [name, row[at] ?? '']),
        columns,
        0,
      ),
    )
    .join('\n');
}

/** Formats pairs of term and description. Descriptions are wrapped and aligned. */
export function formatList(rows: readonly (readonly [string, string])[], columns: number, indent: number): string {
  const longest = Math.max(0, ...rows.map(([term]) => lengthOf(term)));
  const termWidth = Math.min(longest, Math.floor(columns * 0.4));
  const margin = ' '.repeat(indent);
  const lines = rows.flatMap(([term, description]) => {
    const wrapped = wrapText(description, columns - indent - termWidth - 2);
    // If the term is too long for its column, the description starts on the next line.
    const isBelow = lengthOf(term) > termWidth;
    const first = isBelow ? term : `${padded(term, termWidth)}  ${wrapped[0] ?? ''}`.trimEnd();
    const others = (isBelow ? wrapped : wrapped.slice(1)).map((line) => `${' '.repeat(termWidth + 2)}${line}`);
    return [first, ...others].map((line) => `${margin}${line}\n`);
  });
  return lines.join('');
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, lengthOf(cell))));
  return widths;
}

function without<T>(list: readonly T[], at: number): readonly T[] {
  return [...list.slice(0, at), ...list.slice(at + 1)];
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - lengthOf(text)));
}

/** Counts visible characters, because names may be in any language. */
function lengthOf(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length;
}
