import { duration, html, number } from './cards.js';

/** A table; cells are texts, numbers (right aligned) or elements. */
function table(heads, rows, empty) {
  if (rows.length === 0) return html('p', { class: 'faint' }, empty);
  const cell = (name) => (content) => html(name, typeof content === 'number' ? { class: 'number' } : {}, show(content));
  const isNumber = (at) => typeof rows[0][at] === 'number';
  const head = heads.map((text, at) => html('th', isNumber(at) ? { class: 'number' } : {}, text));
  return html(
    'table',
    {},
    html('thead', {}, html('tr', {}, ...head)),
    html('tbody', {}, ...rows.map((row) => html('tr', {}, ...row.map(cell('td'))))),
  );
}

function show(content) {
  return typeof content === 'number' ? number(content) : content;
}

/** A bar with its figures. */
function share(part, whole) {
  const bar = html('progress', { max: Math.max(1, whole), value: part });
  return html('span', {}, bar, `${number(part)} / ${number(whole)}`);
}

export function modelsTable({ models }) {
  const rows = models.map(({ model, streams, slots, reserved, waiting, ready, desired }) => [
    ...[model, share(streams, slots), reserved, waiting, `${number(ready)} / ${number(desired)}`],
  ]);
  return table(['model', 'streams / slots', 'reserved', 'waiting', 'workers'], rows, 'No model yet.');
}

export function workersTable({ workers }) {
  const rows = workers.map(({ instance, model, streams, slots, busy, batch, waitMs, runMs }) => [
    html('span', { title: instance }, `${model.replace(/^svc-asr-/, '')} ${instance.split(':').at(-1)}`),
    share(streams, slots),
    `${Math.round(busy * 100)} %`,
    number(batch),
    waitMs === undefined ? '–' : duration(waitMs / 1000),
    runMs === undefined ? '–' : duration(runMs / 1000),
  ]);
  const heads = ['worker', 'streams / slots', 'busy', 'batch', 'wait', 'run'];
  return table(heads, rows, 'No worker runs now; one is started when a session needs it.');
}

export function routesTable({ http }) {
  const rows = http.routes.map(({ route, count, p95 }) => [route, count, duration(p95)]);
  return table(['route', 'requests', '95 % within'], rows, 'No requests in the last minute.');
}

export function endsTable({ http, ended, moves }) {
  const rows = [
    ...http.codes.map(({ name, count }) => [html('span', { class: 'bad' }, name), 'request refused', count]),
    ...ended.map(({ name, count }) => [name, 'stream ended', count]),
    ...(moves > 0 ? [['moved', 'streams taken to another worker', moves]] : []),
  ];
  return table(['reason', 'what', 'times'], rows, 'Nothing ended in the last minute.');
}
