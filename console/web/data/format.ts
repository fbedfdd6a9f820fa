import { locale, texts } from '../texts/index.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const numbers = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(locale);
const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const dateTimes = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const preciseTimes = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const relativeTimes = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

/** Formats a number with the separators of the locale. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** Returns the form of a text for a number, such as "1 session" or "2 sessions". `{n}` stands for the number. */
export function plural(count: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }): string {
  return (forms[plurals.select(count)] ?? forms.other).replace('{n}', formatNumber(count));
}

export function formatDate(iso: string): string {
  return dates.format(new Date(iso));
}

/** Formats a day of the ledger, which is a day in UTC. */
export function formatDay(day: string): string {
  return days.format(new Date(`${day}T00:00:00Z`));
}

export function formatDateTime(iso: string): string {
  return dateTimes.format(new Date(iso));
}

/** Formats a time with its seconds. */
export function formatPreciseTime(iso: string): string {
  return preciseTimes.format(new Date(iso));
}

/** Formats a time as its distance from now, such as "in 3 days" or "5 minutes ago". */
export function formatRelative(iso: string, nowMs = Date.now()): string {
  const differenceMs = Date.parse(iso) - nowMs;
  const size = Math.abs(differenceMs);
  if (size < MINUTE_MS) return relativeTimes.format(0, 'second');
  if (size < HOUR_MS) return relativeTimes.format(Math.trunc(differenceMs / MINUTE_MS), 'minute');
  if (size < DAY_MS) return relativeTimes.format(Math.trunc(differenceMs / HOUR_MS), 'hour');
  return relativeTimes.format(Math.trunc(differenceMs / DAY_MS), 'day');
}

/**
 * Formats milliseconds of audio, for example as "2 h 5 min". Seconds are shown only if the duration is below one hour.
 */
export function formatAudio(ms: number): string {
  const { hours: h, minutes: min, seconds: s } = texts.general.units;
  const seconds = Math.floor(ms / SECOND_MS);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  if (hours > 0) return minutes === 0 ? `${formatNumber(hours)} ${h}` : `${formatNumber(hours)} ${h} ${minutes} ${min}`;
  if (minutes > 0) return rest === 0 ? `${minutes} ${min}` : `${minutes} ${min} ${rest} ${s}`;
  return `${rest} ${s}`;
}

/** Formats milliseconds of audio, for example as "8.44 s". Hundredths of a second are shown only below one minute. */
export function formatExactAudio(ms: number): string {
  if (ms >= MINUTE_MS || ms % SECOND_MS === 0) return formatAudio(ms);
  return `${numbers.format(Math.ceil(ms / 10) / 100)} ${texts.general.units.seconds}`;
}
