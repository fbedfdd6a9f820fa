/* global document */
import { audio, html, section } from './html.js';

const SVG = 'http://www.w3.org/2000/svg';
const DAY_MS = 86_400_000;
const [WIDTH, HEIGHT, FOOT] = [900, 140, 20];

function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** Charged audio by day, as bars. */
export function usageSection({ days, data }) {
  const byDay = new Map();
  for (const { day, billable_ms: ms } of data) byDay.set(day, (byDay.get(day) ?? 0) + ms);
  const today = Date.now();
  const names = Array.from({ length: days }, (_, at) =>
    new Date(today - (days - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
  const most = Math.max(1, ...byDay.values());
  const wide = WIDTH / days;
  const bars = names.map((day, at) => {
    const ms = byDay.get(day) ?? 0;
    const high = (ms / most) * (HEIGHT - FOOT - 10);
    const place = { x: at * wide + 1, y: HEIGHT - FOOT - high, width: wide - 2, height: high, rx: 2 };
    return svg('rect', place, svg('title', {}, `${day}: ${audio(ms)}`));
  });
  const label = (at, anchor) =>
    svg('text', { x: anchor === 'end' ? WIDTH : 0, y: HEIGHT - 4, 'text-anchor': anchor }, names[at] ?? '');
  const total = [...byDay.values()].reduce((sum, ms) => sum + ms, 0);
  const sessions = data.reduce((sum, entry) => sum + entry.sessions, 0);
  return section(
    `Use in the last ${days} days`,
    { id: 'usage' },
    html('p', { class: 'faint' }, `${audio(total)} of audio in ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`),
    svg(
      'svg',
      {
        class: 'bars',
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: 'img',
        'aria-label': `Audio by day, at most ${audio(most)}`,
      },
      svg('line', { x1: 0, x2: WIDTH, y1: HEIGHT - FOOT, y2: HEIGHT - FOOT }),
      ...bars,
      label(0, 'start'),
      label(days - 1, 'end'),
    ),
  );
}
