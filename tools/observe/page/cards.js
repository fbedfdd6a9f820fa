/** @import { PageData } from '../page-data.ts' */
import { html } from './elements.js';
import { formatDuration, formatNumber, formatPercent } from './format.js';
import { plot } from './plot.js';

/** Latencies with a target, and the titles of their cards. */
const LATENCY_TITLES = /** @type {const} */ ({
  delta: 'Delta latency, p95',
  final: 'Final latency, p95',
  ready: 'Ready latency, p95',
});

/**
 * Creates a card with the current value and its plot.
 *
 * @param {{ title: string, figure: string, state?: string, note: string, picture: SVGElement }} content `state` is the
 *   CSS class of the value
 */
function card({ title, figure, state = '', note, picture }) {
  return html(
    'article',
    { class: 'card' },
    html('h2', {}, title),
    html('div', { class: 'figure' }, html('b', { class: state }, figure), html('span', { class: 'note' }, note)),
    picture,
  );
}

/**
 * Creates the cards of the latencies that have a target.
 *
 * @param {PageData} data
 */
export function latencyCards({ now, history }) {
  return /** @type {(keyof typeof LATENCY_TITLES)[]} */ (Object.keys(LATENCY_TITLES)).map((key) => {
    const title = LATENCY_TITLES[key];
    const { p50, p95, count, targetS } = now.latency[key];
    const note =
      count === 0 ? 'none in the last minute' : `p50 ${formatDuration(p50)}, ${formatNumber(count)} in the last minute`;
    return card({
      title,
      note,
      figure: formatDuration(p95),
      state: p95 === undefined ? 'faint' : p95 <= targetS ? 'good' : 'bad',
      picture: plot({
        limit: targetS,
        format: formatDuration,
        label: `${title}, last 10 minutes`,
        points: history.map((point) => ({ atMs: point.atMs, value: point[key] })),
      }),
    });
  });
}

/**
 * Creates the cards of streams, workers and requests.
 *
 * @param {PageData} data
 */
export function loadCards({ now, history }) {
  const { streams = 0, slots = 0, waiting = 0, busy } = history.at(-1) ?? {};
  const { http, sessionsPerSecond } = now;
  return [
    card({
      title: 'Streams',
      figure: formatNumber(streams),
      state: waiting > 0 ? 'bad' : '',
      note: `of ${formatNumber(slots)} slots (dashed)${waiting > 0 ? `, ${formatNumber(waiting)} waiting` : ''}`,
      picture: plot({
        format: formatNumber,
        label: 'Streams and slots, last 10 minutes',
        integers: true,
        points: history.map((point) => ({ atMs: point.atMs, value: point.streams, second: point.slots })),
      }),
    }),
    card({
      title: 'Busiest worker',
      figure: formatPercent(busy),
      state: busy !== undefined && busy > 0.9 ? 'bad' : '',
      note: 'of the time in inference',
      picture: plot({
        format: formatPercent,
        label: 'Busiest worker, last 10 minutes',
        points: history.map((point) => ({ atMs: point.atMs, value: point.busy })),
      }),
    }),
    card({
      title: 'Requests per second',
      figure: formatNumber(http.perSecond),
      state: http.errorsPerSecond > 0 ? 'bad' : '',
      note: `${formatNumber(sessionsPerSecond)} sessions, ${formatNumber(http.errorsPerSecond)} errors (dashed)`,
      picture: plot({
        format: formatNumber,
        label: 'Requests per second, last 10 minutes',
        integers: true,
        points: history.map((point) => ({ atMs: point.atMs, value: point.requests, second: point.errors })),
      }),
    }),
  ];
}
