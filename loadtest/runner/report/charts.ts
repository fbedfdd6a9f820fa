import { LATENCY_TARGETS } from '../../lib/latency-targets.ts';
import type { LatencyTargetName } from '../../lib/latency-targets.ts';
import { seriesOf } from '../latencies.ts';
import type { Records } from '../records.ts';
import type { Summary } from '../summary.ts';
import { bucketSeconds, cumulative, openOverTime, percentileOverTime } from './buckets.ts';
import type { Chart } from './chart.ts';

const COLOURS = { p50: '#2a78b8', p95: '#c2571a', max: '#b9b4ad', other: '#3d8b5f' };

/** Builds the charts of a run. */
export function chartsOf(summary: Summary, records: Records): Chart[] {
  const startMs = Date.parse(summary.startedAt);
  const series = seriesOf(records);
  const seconds = bucketSeconds(summary.seconds);
  const names = Object.keys(LATENCY_TARGETS) as LatencyTargetName[];
  const overTime = names.map((name): Chart => {
    const line = (percent: number) => percentileOverTime(series[name], startMs, seconds, percent);
    return {
      title: `${name}: latency over time`,
      xLabel: 's',
      yLabel: 'ms',
      xTo: summary.seconds,
      lines: [
        { name: 'max', colour: COLOURS.max, points: line(100) },
        { name: 'p50', colour: COLOURS.p50, points: line(50) },
        { name: 'p95', colour: COLOURS.p95, points: line(95) },
      ],
      limit: { name: `target p95 ${summary.limits[name]} ms`, value: summary.limits[name] },
    };
  });
  const lags = records.utterances.flatMap(({ lagsMs }) => lagsMs);
  return [
    {
      title: 'Streams',
      xLabel: 's',
      yLabel: '',
      xTo: summary.seconds,
      lines: [
        { name: 'open', colour: COLOURS.other, points: openOverTime(openTimes(records), startMs, summary.seconds) },
      ],
      ...(summary.declaredSlots > 0 && {
        limit: { name: `${summary.declaredSlots} declared slots`, value: summary.declaredSlots },
      }),
    },
    ...overTime,
    {
      title: 'Share of events within a latency',
      xLabel: 'ms',
      yLabel: '%',
      lines: names.map((name, at) => ({
        name,
        colour: [COLOURS.p50, COLOURS.p95, COLOURS.other][at] ?? COLOURS.other,
        points: cumulative(series[name].map(([, value]) => value)),
      })),
    },
    {
      title: 'Lag of the generator',
      xLabel: 'ms',
      yLabel: '%',
      lines: [{ name: 'frames', colour: COLOURS.other, points: cumulative(lags) }],
      mark: { name: `void above p95 ${summary.lagLimitMs} ms`, value: summary.lagLimitMs },
    },
    ...rampChart(summary),
  ];
}

function openTimes({ sessions }: Records): [number, number][] {
  return sessions.map(({ openedAtMs, endedAtMs }) => [openedAtMs, endedAtMs]);
}

function rampChart({ saturation, limits }: Summary): Chart[] {
  if (saturation === null) return [];
  const line = (name: LatencyTargetName, colour: string) => ({
    name,
    colour,
    points: saturation.steps.flatMap(({ streams, verdicts }): [number, number][] => {
      const p95 = verdicts.find(({ target }) => target === name)?.p95;
      return p95 === undefined || p95 === null ? [] : [[streams, p95]];
    }),
  });
  return [
    {
      title: 'p95 by number of streams',
      xLabel: 'streams',
      yLabel: 'ms',
      lines: [line('delta', COLOURS.p50), line('final', COLOURS.p95), line('ready', COLOURS.other)],
      limit: { name: `target delta p95 ${limits.delta} ms`, value: limits.delta },
      mark: { name: 'declared slots', value: saturation.declaredSlots },
    },
  ];
}
