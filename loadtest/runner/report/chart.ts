import { escapeText } from './escape.ts';
import { position, scaleOf } from './scale.ts';

export interface Line {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Whether to draw dots instead of a line. */
  readonly dots?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Smallest right end of the x axis. */
  readonly xTo?: number;
  readonly lines: readonly Line[];
  /** Horizontal line for a limit. */
  readonly limit?: { readonly name: string; readonly value: number };
  /** Vertical line for a value. */
  readonly mark?: { readonly name: string; readonly value: number };
}

const [WIDTH, HEIGHT] = [560, 260];
const PLOT = { left: 56, right: WIDTH - 14, top: 34, bottom: HEIGHT - 42 };

/** Draws a chart as SVG. */
export function drawChart({ title, xLabel, yLabel, xTo = 1, lines, limit, mark }: Chart): string {
  const points = lines.flatMap((line) => line.points);
  const xs = scaleOf(Math.max(xTo, mark?.value ?? 0, ...points.map(([x]) => x)));
  const ys = scaleOf(Math.max(1, (limit?.value ?? 0) * 1.1, ...points.map(([, y]) => y)));
  const x = (value: number) => round(position(xs, value, PLOT.left, PLOT.right));
  const y = (value: number) => round(position(ys, value, PLOT.bottom, PLOT.top));
  const grid = ys.ticks.map(
    (tick) =>
      `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(tick)}" y2="${y(tick)}"/>` +
      `<text class="tick" x="${PLOT.left - 6}" y="${y(tick) + 4}" text-anchor="end">${show(tick)}</text>`,
  );
  const xTicks = xs.ticks.map(
    (tick) => `<text class="tick" x="${x(tick)}" y="${PLOT.bottom + 16}" text-anchor="middle">${show(tick)}</text>`,
  );
  const drawn = lines.map((line) =>
    line.dots === true
      ? line.points.map(([a, b]) => `<circle cx="${x(a)}" cy="${y(b)}" r="1.6" fill="${line.colour}"/>`).join('')
      : `<polyline fill="none" stroke="${line.colour}" points="${line.points.map(([a, b]) => `${x(a)},${y(b)}`).join(' ')}"/>`,
  );
  const limitLine =
    limit === undefined
      ? ''
      : `<line class="limit" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(limit.value)}" y2="${y(limit.value)}"/>` +
        `<text class="limit" x="${PLOT.right}" y="${y(limit.value) - 5}" text-anchor="end">${escapeText(limit.name)}</text>`;
  const markLine = mark === undefined ? '' : drawMark(x(mark.value), mark.name);
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeText(title)}">`,
    `<text class="title" x="${PLOT.left}" y="16">${escapeText(title)}</text>`,
    drawLegend(lines),
    ...grid,
    ...xTicks,
    `<text class="tick" x="${PLOT.right}" y="${HEIGHT - 8}" text-anchor="end">${escapeText(xLabel)}</text>`,
    `<text class="tick" x="${PLOT.left - 6}" y="${PLOT.top - 8}" text-anchor="end">${escapeText(yLabel)}</text>`,
    ...drawn,
    limitLine,
    markLine,
    '</svg>',
  ].join('\n');
}

/** Puts the name on the side of the line that has more space. */
function drawMark(at: number, name: string): string {
  const isLeft = at < (PLOT.left + PLOT.right) / 2;
  return (
    `<line class="mark" x1="${at}" x2="${at}" y1="${PLOT.top}" y2="${PLOT.bottom}"/>` +
    `<text class="mark" x="${isLeft ? at + 5 : at - 5}" y="${PLOT.bottom - 6}" text-anchor="${isLeft ? 'start' : 'end'}">` +
    `${escapeText(name)}</text>`
  );
}

function drawLegend(lines: readonly Line[]): string {
  return lines
    .map(({ name, colour }, at) => {
      const left = PLOT.left + at * 84;
      return (
        `<rect x="${left}" y="${HEIGHT - 16}" width="10" height="10" rx="2" fill="${colour}"/>` +
        `<text class="tick" x="${left + 14}" y="${HEIGHT - 7}">${escapeText(name)}</text>`
      );
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function show(value: number): string {
  return String(Number(value.toPrecision(6)));
}
