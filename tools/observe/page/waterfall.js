import { duration, html } from './cards.js';
import { svg } from './plot.js';

const WIDTH = 1200;
const ROW = 18;
const NAMES = 260;
const FIGURES = 90;
const SHOWN = ['svc_asr.outcome', 'svc_asr.reason', 'svc_asr.windows', 'svc_asr.batch.mean_size', 'error.type'];

/** Spans in the order of the tree, each with its depth. */
function inOrder(spans) {
  const ids = new Set(spans.map(({ id }) => id));
  const byStart = [...spans].sort((one, other) => one.startMs - other.startMs);
  const below = (parent, depth) =>
    byStart
      .filter((span) => (ids.has(span.parent) ? span.parent : '') === parent)
      .flatMap((span) => [{ span, depth }, ...below(span.id, depth + 1)]);
  return below('', 0);
}

/** The spans of a session as bars over time. */
export function waterfall(spans) {
  const rows = inOrder(spans);
  const from = Math.min(...spans.map(({ startMs }) => startMs));
  const whole = Math.max(1, Math.max(...spans.map(({ endMs }) => endMs)) - from);
  const x = (atMs) => NAMES + ((WIDTH - NAMES - FIGURES) * (atMs - from)) / whole;
  const picture = svg('svg', { class: 'waterfall', viewBox: `0 0 ${WIDTH} ${rows.length * ROW + 4}` });
  for (const [at, { span, depth }] of rows.entries()) {
    const y = at * ROW;
    const group = svg('g', { class: `${span.service}${span.failed ? ' failed' : ''}` });
    const facts = SHOWN.filter((name) => span.attributes[name]).map((name) => `${name} ${span.attributes[name]}`);
    group.append(svg('title', {}, `${span.service}: ${span.name}\n${facts.join('\n')}`));
    group.append(svg('text', { class: 'label', x: 4 + depth * 14, y: y + 13 }, span.name));
    const width = Math.max(2, x(span.endMs) - x(span.startMs));
    group.append(svg('rect', { x: x(span.startMs), y: y + 4, width, height: ROW - 8, rx: 2 }));
    for (const event of span.events) {
      const mark = svg('circle', { class: 'event', cx: x(event.atMs), cy: y + ROW / 2, r: 3.5 });
      mark.append(svg('title', {}, event.name));
      group.append(mark);
    }
    const took = duration((span.endMs - span.startMs) / 1000);
    group.append(svg('text', { x: WIDTH - 4, y: y + 13, 'text-anchor': 'end' }, took));
    picture.append(group);
  }
  return picture;
}

/** One session: a line that opens to its waterfall. */
export function sessionEntry({ id, spans }, isOpen) {
  const of = (name) => spans.find((span) => span.name === name);
  const stream = of('stream');
  const post = of('POST /v1/asr/sessions');
  const model = post?.attributes['svc_asr.model'] ?? stream?.attributes['svc_asr.model'] ?? '';
  const start = new Date(Math.min(...spans.map(({ startMs }) => startMs)));
  const isConnected = spans.some(({ attributes }) => attributes['http.response.status_code'] === '101');
  const failed = spans.some((span) => span.failed);
  const state = stream?.attributes['svc_asr.reason'] ?? (isConnected ? 'streams now' : 'not connected');
  const audio =
    stream === undefined ? '' : `${Number(stream.attributes['svc_asr.audio.seconds']).toFixed(1)} s of audio`;
  return html(
    'details',
    { 'data-id': id, ...(isOpen ? { open: '' } : {}) },
    html(
      'summary',
      {},
      html('span', {}, start.toLocaleTimeString()),
      html('span', {}, model),
      html('span', { class: failed ? 'bad' : 'good' }, state),
      html('span', { class: 'faint' }, audio),
      html('code', {}, id),
    ),
    waterfall(spans),
  );
}
