/** @import { Snapshot } from '../snapshot.ts' */
import { html } from './elements.js';
import { formatDuration, formatNumber, formatPercent } from './format.js';

/** @typedef {string | number | Node} Cell Numbers are right aligned. */

/**
 * @param {readonly string[]} heads
 * @param {readonly (readonly Cell[])[]} rows
 * @param {string} emptyText shown instead of a table without rows
 */
function table(heads, rows, emptyText) {
  if (rows.length === 0) return html('p', { class: 'faint' }, emptyText);
  /** @param {Cell | undefined} content */
  const alignment = (content) => (typeof content === 'number' ? { class: 'number' } : {});
  /** @param {Cell} content */
  const cell = (content) =>
    html('td', alignment(content), typeof content === 'number' ? formatNumber(content) : content);
  const head = heads.map((text, index) => html('th', alignment(rows[0]?.[index]), text));
  return html(
    'div',
    { class: 'scroll' },
    html(
      'table',
      {},
      html('thead', {}, html('tr', {}, ...head)),
      html('tbody', {}, ...rows.map((row) => html('tr', {}, ...row.map(cell)))),
    ),
  );
}

/**
 * Creates a bar followed by its figures.
 *
 * @param {number} used
 * @param {number} total
 */
function bar(used, total) {
  const progress = html('progress', { max: Math.max(1, total), value: used });
  return html('span', {}, progress, `${formatNumber(used)} / ${formatNumber(total)}`);
}

/** @param {Snapshot} snapshot */
export function modelsTable({ models }) {
  const rows = models.map(({ model, streams, slots, reserved, waiting, ready, desired }) => [
    model,
    bar(streams, slots),
    reserved,
    waiting,
    `${formatNumber(ready)} / ${formatNumber(desired)}`,
  ]);
  return table(['Model', 'Streams / slots', 'Reserved', 'Waiting', 'Workers'], rows, 'No models yet.');
}

/** @param {Snapshot} snapshot */
export function workersTable({ workers }) {
  /** @param {number | undefined} ms */
  const milliseconds = (ms) => formatDuration(ms === undefined ? undefined : ms / 1000);
  const rows = workers.map(({ instance, model, streams, slots, busy, batch, waitMs, runMs }) => [
    html('span', { title: instance }, `${model.replace(/^svc-asr-/, '')} ${instance.split(':').at(-1) ?? ''}`),
    bar(streams, slots),
    formatPercent(busy),
    formatNumber(batch),
    milliseconds(waitMs),
    milliseconds(runMs),
  ]);
  const heads = ['Worker', 'Streams / slots', 'Busy', 'Batch size', 'Wait', 'Run'];
  return table(heads, rows, 'No workers. One starts when a session needs it.');
}

/** @param {Snapshot} snapshot */
export function routesTable({ http }) {
  const rows = http.routes.map(({ route, count, p95 }) => [route, count, formatDuration(p95)]);
  return table(['Route', 'Requests', 'p95'], rows, 'No requests in the last minute.');
}

/** @param {Snapshot} snapshot */
export function endingsTable({ http, ended, moves }) {
  const rows = [
    ...http.codes.map(({ name, count }) => [html('span', { class: 'bad' }, name), 'Request failed', count]),
    ...ended.map(({ name, count }) => [name, 'Stream ended', count]),
    ...(moves > 0 ? [['moved', 'Stream moved to another worker', moves]] : []),
  ];
  return table(['Reason', 'Event', 'Count'], rows, 'No failed requests or ended streams in the last minute.');
}
