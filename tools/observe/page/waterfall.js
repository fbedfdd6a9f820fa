/** @import { ShownSession, ShownSpan } from '../traces.ts' */
import { html, svg } from './elements.js';
import { formatDuration } from './format.js';

const WIDTH = 1200;
const ROW_HEIGHT = 18;
/** Widths of the columns with the span names and the durations. */
const NAME_WIDTH = 260;
const DURATION_WIDTH = 90;
/** Attributes that the tooltip of a span lists. */
const TOOLTIP_ATTRIBUTES = [
  'svc_asr.outcome',
  'svc_asr.reason',
  'svc_asr.windows',
  'svc_asr.batch.mean_size',
  'error.type',
];

/**
 * Returns the spans depth first, each with its depth. Spans of the same parent are ordered by their start. A span whose
 * parent has not arrived is a root.
 *
 * @param {readonly ShownSpan[]} spans
 */
function flattenTree(spans) {
  const ids = new Set(spans.map(({ id }) => id));
  const byStart = [...spans].sort((one, other) => one.startMs - other.startMs);
  /** @type {(parent: string, depth: number) => { span: ShownSpan, depth: number }[]} */
  const childrenOf = (parent, depth) =>
    byStart
      .filter((span) => (ids.has(span.parent) ? span.parent : '') === parent)
      .flatMap((span) => [{ span, depth }, ...childrenOf(span.id, depth + 1)]);
  return childrenOf('', 0);
}

/**
 * Draws the spans of a session as bars over time.
 *
 * @param {readonly ShownSpan[]} spans
 */
function waterfall(spans) {
  const rows = flattenTree(spans);
  const startMs = Math.min(...spans.map((span) => span.startMs));
  const durationMs = Math.max(1, Math.max(...spans.map(({ endMs }) => endMs)) - startMs);
  /** @param {number} atMs */
  const x = (atMs) => NAME_WIDTH + ((WIDTH - NAME_WIDTH - DURATION_WIDTH) * (atMs - startMs)) / durationMs;
  const bars = rows.map(({ span, depth }, index) => drawSpan(span, depth, index * ROW_HEIGHT, x));
  return svg('svg', { class: 'waterfall', viewBox: `0 0 ${WIDTH} ${rows.length * ROW_HEIGHT + 4}` }, ...bars);
}

/**
 * @param {ShownSpan} span
 * @param {number} depth
 * @param {number} y
 * @param {(atMs: number) => number} x
 */
function drawSpan(span, depth, y, x) {
  const facts = TOOLTIP_ATTRIBUTES.flatMap((name) => {
    const value = span.attributes[name] ?? '';
    return value === '' ? [] : [`${name} ${value}`];
  });
  const width = Math.max(2, x(span.endMs) - x(span.startMs));
  const events = span.events.map(({ name, atMs }) =>
    svg('circle', { class: 'event', cx: x(atMs), cy: y + ROW_HEIGHT / 2, r: 3.5 }, svg('title', {}, name)),
  );
  const duration = formatDuration((span.endMs - span.startMs) / 1000);
  return svg(
    'g',
    { class: `${span.service}${span.failed ? ' failed' : ''}` },
    svg('title', {}, `${span.service}: ${span.name}\n${facts.join('\n')}`),
    svg('text', { class: 'label', x: 4 + depth * 14, y: y + 13 }, span.name),
    svg('rect', { x: x(span.startMs), y: y + 4, width, height: ROW_HEIGHT - 8, rx: 2 }),
    ...events,
    svg('text', { x: WIDTH - 4, y: y + 13, 'text-anchor': 'end' }, duration),
  );
}

/**
 * Creates the line of a session, which opens to its waterfall.
 *
 * @param {ShownSession} session
 * @param {boolean} isOpen
 */
export function sessionEntry({ id, spans }, isOpen) {
  /** @param {string} name */
  const find = (name) => spans.find((span) => span.name === name);
  const stream = find('stream');
  const post = find('POST /v1/asr/sessions');
  const model = post?.attributes['svc_asr.model'] ?? stream?.attributes['svc_asr.model'] ?? '';
  const start = new Date(Math.min(...spans.map(({ startMs }) => startMs)));
  const isConnected = spans.some(({ attributes }) => attributes['http.response.status_code'] === '101');
  const hasFailed = spans.some(({ failed }) => failed);
  const state = stream?.attributes['svc_asr.reason'] ?? (isConnected ? 'streaming' : 'not connected');
  const audio =
    stream === undefined ? '' : `${Number(stream.attributes['svc_asr.audio.seconds']).toFixed(1)} s of audio`;
  const entry = html(
    'details',
    { 'data-id': id },
    html(
      'summary',
      {},
      html('span', {}, start.toLocaleTimeString()),
      html('span', {}, model),
      html('span', { class: hasFailed ? 'bad' : 'good' }, state),
      html('span', { class: 'faint' }, audio),
      html('code', {}, id),
    ),
    html('div', { class: 'scroll' }, waterfall(spans)),
  );
  entry.open = isOpen;
  return entry;
}
