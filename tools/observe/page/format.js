/** Shown where there is no value. */
export const NO_VALUE = '–';

/**
 * Formats a duration as milliseconds or seconds.
 *
 * @param {number | undefined} seconds
 */
export function formatDuration(seconds) {
  if (seconds === undefined) return NO_VALUE;
  if (seconds < 0.01) return `${(seconds * 1000).toFixed(1)} ms`;
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${formatNumber(seconds)} s`;
}

/**
 * Formats a number. Small fractions get more decimals than large ones.
 *
 * @param {number | undefined} value
 */
export function formatNumber(value) {
  if (value === undefined) return NO_VALUE;
  return value >= 10 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(value < 1 ? 2 : 1);
}

/** @param {number | undefined} share */
export function formatPercent(share) {
  return share === undefined ? NO_VALUE : `${Math.round(share * 100)} %`;
}
