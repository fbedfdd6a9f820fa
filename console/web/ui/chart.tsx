import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatAudio, formatDay } from '../data/format.ts';
import { locale } from '../texts/index.ts';

/** Values of a chart that have the same colour: one value for each day. */
export interface ChartSeries {
  readonly label: string;
  readonly valuesMs: readonly number[];
}

const HEIGHT = 260;
const SERIES_COLOURS = 6;
/**
 * Possible distances between two lines of the axis, in seconds. With these distances, labels are round seconds, minutes
 * or hours.
 */
const STEPS = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 18_000, 36_000, 86_400, 360_000, 3_600_000];
const shortDays = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Stacked bars of audio per day. */
export function Chart({
  days,
  series,
  label,
}: {
  days: readonly string[];
  series: readonly ChartSeries[];
  /** Description for screen readers. */
  label: string;
}) {
  const container = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number>();
  const isDark = useDarkTheme();
  const content = JSON.stringify([days, series]);

  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const plot = new UPlot(optionsOf(element, days, series, setHovered), stack(days, series), element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [content, isDark]);

  return (
    <figure class="chart">
      <div ref={container} role="img" aria-label={label} />
      <figcaption>
        <p class="faint small chart-day">{hovered === undefined ? '' : formatDay(days[hovered] ?? '')}</p>
        <ul class="legend">
          {series.map(({ label: name, valuesMs }, index) => (
            <li key={name}>
              <span class={`key-dot series-${(index % SERIES_COLOURS) + 1}`} />
              <span>{name}</span>
              <span class="numbers faint">
                {formatAudio(
                  hovered === undefined ? valuesMs.reduce((sum, ms) => sum + ms, 0) : (valuesMs[hovered] ?? 0),
                )}
              </span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

/**
 * Returns the data of the plot. In the plot, each series contains the sum of its own values and those of all following
 * series. uPlot draws the last series on top, so the smaller sums cover the larger ones.
 */
function stack(days: readonly string[], series: readonly ChartSeries[]): UPlot.AlignedData {
  const sums: number[][] = [];
  for (const { valuesMs } of [...series].reverse()) {
    const below = sums[0];
    sums.unshift(valuesMs.map((ms, at) => ms / 1000 + (below?.[at] ?? 0)));
  }
  return [days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000), ...sums];
}

function optionsOf(
  element: HTMLElement,
  days: readonly string[],
  series: readonly ChartSeries[],
  onHover: (index: number | undefined) => void,
): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const bars = UPlot.paths.bars?.({ size: [0.72, 36], radius: 0.15 });
  const axis = { stroke: colour('--soft'), font: `12px ${colour('--sans')}`, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: true, range: (_plot, min, max) => [min - 43_200, max + 43_200] },
      y: { range: (_plot, _min, max) => [0, Math.max(max * 1.08, 10)] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        incrs: [1, 2, 7, 14, 30, 60].map((count) => count * 86_400),
        values: (_plot, splits) => splits.map((seconds) => shortDays.format(new Date(seconds * 1000))),
      },
      {
        ...axis,
        size: 72,
        incrs: STEPS,
        grid: { stroke: colour('--line'), width: 1 },
        values: (_plot, splits) => splits.map((seconds) => (seconds === 0 ? '0' : formatAudio(seconds * 1000))),
      },
    ],
    series: [
      {},
      ...series.map((each, index) => ({
        label: each.label,
        fill: colour(`--series-${(index % SERIES_COLOURS) + 1}`),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)] },
  };
}

/** Returns whether the system uses a dark theme. Draws the component again when the theme changes. */
function useDarkTheme(): boolean {
  const query = '(prefers-color-scheme: dark)';
  const [isDark, setDark] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = () => setDark(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, []);
  return isDark;
}
