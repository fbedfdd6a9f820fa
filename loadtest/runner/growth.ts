import { logProgress } from '../../tools/launch/terminal.mjs';
import type { Gate } from './gates.ts';

/** Amounts of resources at one moment, by name. */
export type ResourceSample = Readonly<Record<string, number>>;

/** Resources at one moment, and the number of streams that used them. */
export interface ResourceReading {
  readonly resources: ResourceSample;
  readonly streams: number;
}

/**
 * Growth that is allowed between the second and the fourth quarter of a run: a share plus a fixed amount. Between the
 * third and the fourth quarter, half of this growth is allowed. A resource fails only if both growths are larger than
 * allowed.
 */
const MAX_GROWTH = 0.1;
const SLACK = { MiB: 16, sockets: 20, keys: 200 } as const;
/** Number of parts of a run. The first one is not compared, because processes are still warming up. */
const PARTS = 4;
/**
 * Number of readings in ten minutes. A shorter run is not judged, because the usual growth of heaps and caches would
 * look like a leak.
 */
export const MIN_READINGS = 120;
/**
 * Largest deviation from the median number of streams of the run, as a share. Readings with a larger deviation are not
 * compared.
 */
const MAX_DEVIATION = 0.1;
/** Minimum share of the readings of a part that must be comparable. */
const MIN_COMPARABLE = 0.25;
/** The level of a part is the value below which this share of its readings lies. */
const LEVEL = 0.1;

/**
 * Checks that no resource grew during a run. Divides the run into quarters, and compares the levels of the second,
 * third and fourth quarter. The level of a quarter is its 10th percentile, because garbage collection lets memory rise
 * and fall. A resource does not fail if it grew once and then stopped growing, as heaps and caches do. Returns no
 * result for a run that is too short. Fails a run in which most readings failed, or in which the number of streams
 * changed too much.
 */
export function judgeGrowth(readings: readonly ResourceReading[], failures = 0): Gate[] {
  if (failures > readings.length) {
    return [{ name: 'resources were read', passed: false, detail: `${failures} readings failed` }];
  }
  if (readings.length < MIN_READINGS) {
    logProgress(`the growth of resources is not judged: ${readings.length} readings of at least ${MIN_READINGS}`);
    return [];
  }
  const size = Math.floor(readings.length / PARTS);
  const usual = quantile(
    readings.map(({ streams }) => streams),
    0.5,
  );
  const parts = [1, 2, 3].map((part) =>
    readings
      .slice(part * size, (part + 1) * size)
      .filter(({ streams }) => Math.abs(streams - (usual ?? 0)) <= MAX_DEVIATION * (usual ?? 0))
      .map(({ resources }) => resources),
  );
  if (parts.some((part) => part.length < MIN_COMPARABLE * size)) {
    const detail = `${parts.map((part) => part.length).join(', ')} of ${size} readings had about ${usual ?? 0} streams`;
    return [{ name: 'the number of streams was steady', passed: false, detail }];
  }
  const names = [...new Set(readings.flatMap(({ resources }) => Object.keys(resources)))];
  return names.flatMap((name) => judgeResource(name, parts));
}

function judgeResource(name: string, parts: readonly (readonly ResourceSample[])[]): Gate[] {
  const [early, middle, late] = parts.map((part) =>
    quantile(
      part.flatMap((sample) => sample[name] ?? []),
      LEVEL,
    ),
  );
  // A resource of a process that started too late has no early value and is not judged.
  if (early === undefined || middle === undefined || late === undefined) return [];
  const unit = name.endsWith('(MiB)') ? 'MiB' : name.startsWith('sockets') ? 'sockets' : 'keys';
  const hasGrown = late > early * (1 + MAX_GROWTH) + SLACK[unit];
  const isGrowing = late > middle * (1 + MAX_GROWTH / 2) + SLACK[unit] / 2;
  const detail = [early, middle, late].map((value) => Math.round(value)).join(', then ');
  return [{ name: `${name} did not grow`, passed: !(hasGrown && isGrowing), detail }];
}

/** Returns the value below which this share of the values lies. Undefined if there are none. */
function quantile(values: readonly number[], share: number): number | undefined {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * share)];
}
