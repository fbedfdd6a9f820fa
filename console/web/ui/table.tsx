import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  /** Head of the column. Shown as a label in front of the value if the rows are shown as cards. */
  label: string;
  cell: (row: Row) => ComponentChildren;
  kind?: 'text' | 'number' | 'actions';
}

/**
 * A table. On narrow screens each row is shown as a card, so that nothing scrolls sideways. The roles are explicit
 * because browsers drop the meaning of table elements that are laid out as blocks.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  /** Name of the table for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  return (
    <table class="table" role="table" aria-label={caption}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, kind = 'text' }) => (
            <th key={label} role="columnheader" scope="col" class={kind}>
              {kind === 'actions' ? <span class="hidden">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row" key={keyOf(row)}>
            {columns.map(({ label, cell, kind = 'text' }) => (
              <td key={label} role="cell" class={kind} data-label={kind === 'actions' ? undefined : label}>
                <div class="cell">{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
