/** @import { UsageView } from '../src/responses.ts' */
import { formatAudio } from './format.js';
import { html, section } from './html.js';

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const DAY_MS = 86_400_000;
/** Size of the chart, and the height of its date labels. */
const WIDTH = 900;
const HEIGHT = 140;
const FOOTER = 20;

/**
 * @param {keyof SVGElementTagNameMap} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG_NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * Shows the billed audio of each day as a bar chart.
 *
 * @param {UsageView} usage
 */
export function usageSection({ days, data }) {
  /** @type {Map<string, number>} */
  const billedByDay = new Map();
  for (const { day, billable_ms: ms } of data) billedByDay.set(day, (billedByDay.get(day) ?? 0) + ms);
  const today = Date.now();
  const dates = Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const maxMs = Math.max(1, ...billedByDay.values());
  const barWidth = WIDTH / days;
  const bars = dates.map((date, index) => {
    const ms = billedByDay.get(date) ?? 0;
    const height = (ms / maxMs) * (HEIGHT - FOOTER - 10);
    const box = { x: index * barWidth + 1, y: HEIGHT - FOOTER - height, width: barWidth - 2, height, rx: 2 };
    return svg('rect', box, svg('title', {}, `${date}: ${formatAudio(ms)}`));
  });
  /**
   * @param {string} date
   * @param {'start' | 'end'} anchor
   */
  const label = (date, anchor) =>
    svg('text', { x: anchor === 'end' ? WIDTH : 0, y: HEIGHT - 4, 'text-anchor': anchor }, date);
  const totalMs = [...billedByDay.values()].reduce((sum, ms) => sum + ms, 0);
  const sessions = data.reduce((sum, entry) => sum + entry.sessions, 0);
  const total = `${formatAudio(totalMs)} billed in ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
  const chart = {
    class: 'bars',
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: 'img',
    'aria-label': `Billed audio per day, at most ${formatAudio(maxMs)}`,
  };
  return section(
    `Usage (last ${days} days)`,
    { id: 'usage' },
    html('p', { class: 'faint' }, total),
    svg(
      'svg',
      chart,
      svg('line', { x1: 0, x2: WIDTH, y1: HEIGHT - FOOTER, y2: HEIGHT - FOOTER }),
      ...bars,
      label(dates[0] ?? '', 'start'),
      label(dates.at(-1) ?? '', 'end'),
    ),
  );
}
