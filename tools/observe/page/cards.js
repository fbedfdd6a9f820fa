/** @import uPlot from 'uplot' */
/** @import { Card, PageData } from '../view.ts' */
import { html } from './elements.js';
import { formatDuration, formatNumber, formatPercent } from './format.js';

/** The script of uPlot, which the page loads first, defines this global. */
const { uPlot: Plot } = /** @type {{ uPlot: typeof uPlot }} */ (/** @type {unknown} */ (globalThis));
const FORMATS = { duration: formatDuration, number: formatNumber, percent: formatPercent };
const HEIGHT_PX = 130;
const DURATION_S = 600;

/**
 * Returns the options of a plot of the last ten minutes. The first line is filled, the second is dashed.
 *
 * @param {Card} card
 * @param {(variable: string) => string} colorOf
 * @returns {uPlot.Options}
 */
function buildOptions({ unit, top, lines }, colorOf) {
  const format = FORMATS[unit];
  const axis = {
    stroke: () => colorOf('--faint'),
    grid: { stroke: () => colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: 300,
    height: HEIGHT_PX,
    padding: [8, 16, 0, 0],
    scales: {
      x: { range: (_plot, _first, last) => [last - DURATION_S, last] },
      y: { range: (_plot, _least, most) => [0, Math.max(top, most * 1.1)] },
    },
    axes: [
      { ...axis, size: 22, space: 60, values: '{HH}:{mm}' },
      { ...axis, size: 54, space: 32, values: (_plot, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...lines.map(([label], index) => ({
        label,
        width: 1.5,
        stroke: () => colorOf(index === 0 ? '--accent' : '--second'),
        fill: () => (index === 0 ? `color-mix(in srgb, ${colorOf('--accent')} 12%, transparent)` : 'transparent'),
        dash: index === 0 ? [] : [5, 4],
        points: { show: false },
        value: (/** @type {uPlot} */ _plot, /** @type {number | null} */ value) =>
          value === null ? '' : format(value),
      })),
    ],
    cursor: { y: false, drag: { x: false }, sync: { key: 'page' } },
  };
}

/**
 * Appends a card to a parent.
 *
 * @param {Element} parent
 * @param {Card} card
 */
export function appendCard(parent, card) {
  const [figure, note, picture] = [html('b'), html('small'), html('div')];
  parent.append(html('article', {}, html('h2', {}, card.title), html('p', {}, figure, ' ', note), picture));
  /** @param {string} variable */
  const colorOf = (variable) => {
    // The browser resolves the variable to its light or dark color.
    picture.style.color = `var(${variable})`;
    return getComputedStyle(picture).color;
  };
  const plot = new Plot(buildOptions(card, colorOf), undefined, picture);
  new ResizeObserver(() => plot.setSize({ width: picture.clientWidth, height: HEIGHT_PX })).observe(picture);
  /** @type {(current: Card, history: PageData['history'], index: number) => void} */
  return (current, history, index) => {
    figure.className = current.isBad ? 'bad' : '';
    figure.textContent = FORMATS[current.unit](current.lines[0]?.[1] ?? undefined);
    note.textContent = current.note;
    const times = history.map(({ atMs }) => atMs / 1000);
    plot.setData([times, ...card.lines.map((_, line) => history.map(({ values }) => values[index]?.[line] ?? null))]);
  };
}
