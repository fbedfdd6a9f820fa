/** Replaces the tables of a page that have the same head as the given ones. The rest of the page stays unchanged. */
export function renewTables(page: string, tables: readonly string[]): string {
  return tables.reduce((text, table) => {
    const lines = text.split('\n');
    const [head = ''] = table.split('\n');
    const from = lines.indexOf(head);
    if (from === -1) throw new Error(`the page has no table with the head ${head}`);
    const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
    return [...lines.slice(0, from), table, ...lines.slice(from).slice(length)].join('\n');
  }, page);
}
