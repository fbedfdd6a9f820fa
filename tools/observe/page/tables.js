/** @import { Table } from '../view.ts' */
import { html } from './elements.js';
import { formatNumber } from './format.js';

/** @param {Table['rows'][number][number]} content */
function createCell(content) {
  if (typeof content === 'string') return html('td', {}, content);
  if (typeof content === 'number') return html('td', {}, formatNumber(content));
  const [used, total] = content;
  const bar = html('progress', { max: Math.max(1, total), value: used });
  return html('td', {}, bar, ` ${formatNumber(used)} / ${formatNumber(total)}`);
}

/** @param {Table} table */
export function createTable({ title, heads, rows, emptyText }) {
  const head = html('tr', {}, ...heads.map((text) => html('th', {}, text)));
  const body = rows.map((row) => html('tr', {}, ...row.map(createCell)));
  const content = html('table', {}, html('thead', {}, head), html('tbody', {}, ...body));
  return html('article', {}, html('h2', {}, title), rows.length === 0 ? html('small', {}, emptyText) : content);
}
