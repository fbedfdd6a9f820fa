/** Formats a duration: `1h 2m 3s`, `2m 0s`, `12s`, `0.4s`. */
export function formatDuration(ms: number): string {
  const sign = ms < 0 ? '-' : '';
  const absolute = Math.abs(ms);
  if (absolute < 60_000) return `${sign}${Number((Math.floor(absolute / 100) / 10).toFixed(1))}s`;
  const seconds = Math.floor(absolute / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = `${Math.floor((seconds % 3600) / 60)}m ${seconds % 60}s`;
  return sign + (hours === 0 ? minutes : `${hours}h ${minutes}`);
}

/** Formats a time in UTC, to the second. */
export function formatTime(dateTime: string | null | undefined, absent: string): string {
  if (dateTime === null || dateTime === undefined) return absent;
  return dateTime.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');
}
