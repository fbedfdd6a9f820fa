/** Shown where there is no value. */
const NO_VALUE = '–';

/** @param {number | undefined} seconds */
export function formatDuration(seconds) {
  if (seconds === undefined) return NO_VALUE;
  if (seconds >= 1) return `${formatNumber(seconds)} s`;
  return seconds < 0.01 ? `${formatNumber(seconds * 1000)} ms` : `${Math.round(seconds * 1000)} ms`;
}

/** @param {number | undefined} value */
export function formatNumber(value) {
  if (value === undefined) return NO_VALUE;
  return value >= 10 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(value < 1 ? 2 : 1);
}

/** @param {number | undefined} share */
export function formatPercent(share) {
  return share === undefined ? NO_VALUE : `${Math.round(share * 100)} %`;
}
