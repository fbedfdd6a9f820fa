import { svg } from './elements.js';

const WIDTH = 400;
const HEIGHT = 120;
const LEFT = 52;
const RIGHT = WIDTH - 4;
const BOTTOM = 16;
const TOP = 8;
const MINUTE_MS = 60_000;
const DURATION_MS = 10 * MINUTE_MS;

/**
 * @typedef {object} PlotPoint
 * @property {number} atMs
 * @property {number | undefined} value
 * @property {number | undefined} [second] a second value, drawn as a dashed line
 */

/**
 * @typedef {object} PlotOptions
 * @property {readonly PlotPoint[]} points oldest first
 * @property {number} [limit] the latency target, drawn as a dashed horizontal line
 * @property {(value: number) => string} format
 * @property {string} label description for screen readers
 * @property {boolean} [integers] true for counts, whose axis reaches at least 4
 */

/** @typedef {{ x: (atMs: number) => number, y: (value: number) => number }} Scale */

/**
 * Rounds up to the next "round" number, for the top of an axis.
 *
 * @param {number} value
 */
function roundUp(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * unit).find((step) => step >= value * 0.999) ?? value;
}

/**
 * Plots the last ten minutes of a value. The line has a gap where the value is undefined.
 *
 * @param {PlotOptions} options
 */
export function plot({ points, limit, format, label, integers = false }) {
  const nowMs = points.at(-1)?.atMs ?? 0;
  const values = points.flatMap(({ value, second }) => [value, second]).filter((value) => value !== undefined);
  const max = roundUp(Math.max(limit === undefined ? 0 : limit * 1.25, ...values, integers ? 4 : 1e-3));
  /** @type {Scale} */
  const scale = {
    x: (atMs) => LEFT + ((RIGHT - LEFT) * (DURATION_MS - (nowMs - atMs))) / DURATION_MS,
    y: (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / max),
  };
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label });
  for (const value of [0, max / 2, max]) {
    const y = scale.y(value);
    const text = value === 0 ? '0' : format(value);
    picture.append(
      svg('line', { class: 'axis', x1: LEFT, x2: RIGHT, y1: y, y2: y }),
      svg('text', { x: LEFT - 6, y: y + 3, 'text-anchor': 'end' }, text),
    );
  }
  for (const { minutes, text, anchor } of [
    { minutes: 10, text: '10 min ago', anchor: 'start' },
    { minutes: 5, text: '5 min', anchor: 'middle' },
    { minutes: 0, text: 'now', anchor: 'end' },
  ]) {
    const x = scale.x(nowMs - minutes * MINUTE_MS);
    picture.append(svg('text', { x, y: HEIGHT - 3, 'text-anchor': anchor }, text));
  }
  picture.append(...drawLine(points, 'value', scale), ...drawLine(points, 'second', scale));
  if (limit !== undefined) {
    const y = scale.y(limit);
    picture.append(
      svg('line', { class: 'target', x1: LEFT, x2: RIGHT, y1: y, y2: y }),
      svg('text', { class: 'target-text', x: LEFT + 4, y: y - 3 }, `target ${format(limit)}`),
    );
  }
  return picture;
}

/**
 * Draws one of the two values: a path for each run of defined values. The first value also gets a filled area.
 *
 * @param {readonly PlotPoint[]} points
 * @param {'value' | 'second'} key
 * @param {Scale} scale
 */
function drawLine(points, key, { x, y }) {
  return splitAtGaps(points, key).flatMap((run) => {
    const coordinates = run.map(({ atMs, value }) => `${x(atMs).toFixed(1)},${y(value).toFixed(1)}`).join('L');
    if (key === 'second') return [svg('path', { class: 'second', d: `M${coordinates}` })];
    const [from, to] = [run[0], run.at(-1)].map((point) => x(point?.atMs ?? 0).toFixed(1));
    return [
      svg('path', { class: 'area', d: `M${from},${y(0)}L${coordinates}L${to},${y(0)}Z` }),
      svg('path', { class: 'line', d: `M${coordinates}` }),
    ];
  });
}

/**
 * Splits the points into runs without undefined values.
 *
 * @param {readonly PlotPoint[]} points
 * @param {'value' | 'second'} key
 */
function splitAtGaps(points, key) {
  /** @type {{ atMs: number, value: number }[][]} */
  const runs = [];
  let isGap = true;
  for (const point of points) {
    const value = point[key];
    if (value !== undefined) {
      if (isGap) runs.push([]);
      runs.at(-1)?.push({ atMs: point.atMs, value });
    }
    isGap = value === undefined;
  }
  return runs;
}
