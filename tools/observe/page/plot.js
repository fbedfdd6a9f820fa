/* global document */

const SPACE = 'http://www.w3.org/2000/svg';
const WIDTH = 400;
const HEIGHT = 120;
const LEFT = 52;
const BOTTOM = 16;
const TOP = 8;
const SPAN_MS = 600_000;

/** An element of SVG. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A round number that is not below the value. */
function roundUp(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * unit).find((step) => step >= value * 0.999) ?? value;
}

/**
 * The last ten minutes of a value: `points` of {atMs, value, second}, a dashed line at `limit`.
 * Where there is no value the line is broken, not drawn at zero.
 */
export function plot({ points, limit, format, label, integers = false }) {
  const nowMs = points.at(-1)?.atMs ?? 0;
  const values = points.flatMap(({ value, second }) => [value, second]).filter((value) => value !== undefined);
  const top = roundUp(Math.max(limit === undefined ? 0 : limit * 1.25, ...values, integers ? 4 : 1e-3));
  const x = (atMs) => LEFT + ((WIDTH - LEFT - 4) * (SPAN_MS - (nowMs - atMs))) / SPAN_MS;
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label });
  for (const share of [0, 0.5, 1]) {
    picture.append(svg('line', { class: 'axis', x1: LEFT, x2: WIDTH - 4, y1: y(top * share), y2: y(top * share) }));
    const text = share === 0 ? '0' : format(top * share);
    picture.append(svg('text', { x: LEFT - 6, y: y(top * share) + 3, 'text-anchor': 'end' }, text));
  }
  for (const [minutes, text] of [
    [10, '10 min ago'],
    [5, '5 min'],
    [0, 'now'],
  ]) {
    const anchor = minutes === 10 ? 'start' : minutes === 0 ? 'end' : 'middle';
    picture.append(svg('text', { x: x(nowMs - minutes * 60_000), y: HEIGHT - 3, 'text-anchor': anchor }, text));
  }
  drawLine(picture, points, 'value', { x, y, area: true });
  drawLine(picture, points, 'second', { x, y, area: false });
  if (limit !== undefined) {
    picture.append(svg('line', { class: 'promise', x1: LEFT, x2: WIDTH - 4, y1: y(limit), y2: y(limit) }));
    const attributes = { class: 'promise-text', x: LEFT + 4, y: y(limit) - 3 };
    picture.append(svg('text', attributes, `promise ${format(limit)}`));
  }
  return picture;
}

/** Draws one value, in as many pieces as it has. */
function drawLine(picture, points, key, { x, y, area }) {
  const pieces = [];
  let piece;
  for (const point of points) {
    if (point[key] === undefined) piece = undefined;
    else if (piece === undefined) pieces.push((piece = [point]));
    else piece.push(point);
  }
  for (const part of pieces) {
    const path = part.map((point) => `${x(point.atMs).toFixed(1)},${y(point[key]).toFixed(1)}`).join('L');
    if (area) {
      const [from, to] = [x(part[0].atMs).toFixed(1), x(part.at(-1).atMs).toFixed(1)];
      picture.append(svg('path', { class: 'area', d: `M${from},${y(0)}L${path}L${to},${y(0)}Z` }));
    }
    picture.append(svg('path', { class: area ? 'line' : 'second', d: `M${path}` }));
  }
}
