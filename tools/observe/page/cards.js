/* global document */
import { plot } from './plot.js';

/** An element of HTML. */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A duration as people read it. */
export function duration(seconds) {
  if (seconds === undefined) return '–';
  if (seconds < 0.01) return `${(seconds * 1000).toFixed(1)} ms`;
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${number(seconds)} s`;
}

/** A number with as many digits as it deserves. */
export function number(value) {
  if (value === undefined) return '–';
  return value >= 10 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(value < 1 ? 2 : 1);
}

/** A figure with its plot. */
function card({ title, figure, state = '', note, picture }) {
  return html(
    'article',
    { class: 'card' },
    html('h2', {}, title),
    html('div', { class: 'figure' }, html('b', { class: state }, figure), html('span', { class: 'note' }, note)),
    picture,
  );
}

/** The three promises about latency. */
export function promiseCards({ now, history }) {
  const titles = { delta: 'Delta, 95 % within', final: 'Final, 95 % within', ready: 'Ready, 95 % within' };
  return Object.entries(titles).map(([key, title]) => {
    const { p50, p95, count, promiseS } = now.latency[key];
    const note =
      count === 0 ? 'none in the last minute' : `half within ${duration(p50)}, ${number(count)} in the last minute`;
    return card({
      title,
      note,
      figure: duration(p95),
      state: p95 === undefined ? 'faint' : p95 <= promiseS ? 'good' : 'bad',
      picture: plot({
        limit: promiseS,
        format: duration,
        label: `${title} over the last ten minutes`,
        points: history.map((point) => ({ atMs: point.atMs, value: point[key] })),
      }),
    });
  });
}

/** How much there is to do. */
export function loadCards({ now, history }) {
  const last = history.at(-1) ?? { streams: 0, slots: 0, waiting: 0 };
  const { http, sessionsPerSecond } = now;
  return [
    card({
      title: 'Streams',
      figure: number(last.streams),
      state: last.waiting > 0 ? 'bad' : '',
      note: `of ${number(last.slots)} slots (dashed)${last.waiting > 0 ? `, ${number(last.waiting)} waiting` : ''}`,
      picture: plot({
        format: number,
        label: 'Streams and slots over the last ten minutes',
        integers: true,
        points: history.map(({ atMs, streams, slots }) => ({ atMs, value: streams, second: slots })),
      }),
    }),
    card({
      title: 'Busiest worker',
      figure: last.busy === undefined ? '–' : `${Math.round(last.busy * 100)} %`,
      state: last.busy > 0.9 ? 'bad' : '',
      note: 'of the time inside the model',
      picture: plot({
        format: (share) => `${Math.round(share * 100)} %`,
        label: 'Busiest worker over the last ten minutes',
        points: history.map(({ atMs, busy }) => ({ atMs, value: busy })),
      }),
    }),
    card({
      title: 'Requests a second',
      figure: number(http.perSecond),
      state: http.errorsPerSecond > 0 ? 'bad' : '',
      note: `${number(sessionsPerSecond)} sessions, ${number(http.errorsPerSecond)} errors (dashed)`,
      picture: plot({
        format: number,
        label: 'Requests a second over the last ten minutes',
        integers: true,
        points: history.map(({ atMs, requests, errors }) => ({ atMs, value: requests, second: errors })),
      }),
    }),
  ];
}
