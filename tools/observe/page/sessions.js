/** @import { ShownSession, ShownSpan } from '../traces.ts' */
import { html } from './elements.js';
import { formatDuration } from './format.js';

const ERROR = 2;

/** @param {ShownSpan} span */
const startOf = ({ startTimeUnixNano }) => Number(startTimeUnixNano) / 1e9;
/** @param {ShownSpan} span */
const endOf = ({ endTimeUnixNano }) => Number(endTimeUnixNano) / 1e9;

/**
 * Returns the spans depth first, each with its depth. Spans of the same parent are ordered by their start. A span whose
 * parent has not arrived is a root.
 *
 * @param {readonly ShownSpan[]} spans
 */
function flattenTree(spans) {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const byStart = [...spans].sort((one, other) => startOf(one) - startOf(other));
  /** @type {(parent: string, depth: number) => { span: ShownSpan, depth: number }[]} */
  const childrenOf = (parent, depth) =>
    byStart
      .filter(({ parentSpanId = '' }) => (ids.has(parentSpanId) ? parentSpanId : '') === parent)
      .flatMap((span) => [{ span, depth }, ...childrenOf(span.spanId, depth + 1)]);
  return childrenOf('', 0);
}

/**
 * Creates a row for each span, with its bar on a common time axis.
 *
 * @param {readonly ShownSpan[]} spans
 */
function createWaterfall(spans) {
  const startS = Math.min(...spans.map(startOf));
  const durationS = Math.max(0.001, Math.max(...spans.map(endOf)) - startS);
  /** @param {number} atS */
  const positionOf = (atS) => `${(100 * (atS - startS)) / durationS}%`;
  const rows = flattenTree(spans).map(({ span, depth }) => {
    const { name, service, status, attributes, events = [] } = span;
    const [label, bar] = [html('span', {}, name), html('i', { class: status?.code === ERROR ? 'failed' : service })];
    label.style.paddingLeft = `${depth * 0.8}em`;
    bar.style.left = positionOf(startOf(span));
    bar.style.right = `calc(100% - ${positionOf(endOf(span))})`;
    const dots = events.map((event) => {
      const dot = html('u', { title: event.name });
      dot.style.left = positionOf(Number(event.timeUnixNano) / 1e9);
      return dot;
    });
    const title = [`${service}: ${name}`, ...Object.entries(attributes).map((pair) => pair.join(' '))].join('\n');
    const duration = html('small', {}, formatDuration(endOf(span) - startOf(span)));
    return html('li', { title }, label, html('div', {}, bar, ...dots), duration);
  });
  return html('ol', {}, ...rows);
}

/**
 * Creates the row of a session. When the user opens it, it shows the spans of the session on a time axis.
 *
 * @param {ShownSession} session
 */
export function createSession({ id, spans }) {
  const stream = spans.find(({ name }) => name === 'stream')?.attributes;
  const model = spans.map(({ attributes }) => attributes['svc_asr.model']).find((name) => name !== undefined);
  const start = new Date(Math.min(...spans.map(startOf)) * 1000);
  const isConnected = spans.some(({ attributes }) => attributes['http.response.status_code'] === '101');
  const hasFailed = spans.some(({ status }) => status?.code === ERROR);
  const state = stream?.['svc_asr.reason'] ?? (isConnected ? 'streaming' : 'not connected');
  const audio = stream ? `${Number(stream['svc_asr.audio.seconds']).toFixed(1)} s of audio` : '';
  const texts = [start.toLocaleTimeString(), model ?? '', audio].map((text) => html('span', {}, text));
  const summary = html('summary', {}, ...texts, html('span', { class: hasFailed ? 'bad' : 'good' }, state));
  summary.append(html('code', {}, id));
  return html('details', { 'data-id': id }, summary, createWaterfall(spans));
}
