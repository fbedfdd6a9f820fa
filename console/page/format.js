/**
 * Formats a date and time for display.
 *
 * @param {string | null} iso
 * @param {string} fallback shown if there is no time
 */
export function formatDateTime(iso, fallback) {
  return iso === null ? fallback : new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/**
 * Formats a date for display.
 *
 * @param {string | null} iso
 * @param {string} fallback shown if there is no date
 */
export function formatDate(iso, fallback) {
  return iso === null ? fallback : new Date(iso).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/**
 * Formats milliseconds of audio, for example as "2 h 5 min".
 *
 * @param {number} ms
 */
export function formatAudio(ms) {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
