import { formatNumber } from '../data/format.ts';
import { adminTexts } from '../texts/admin.ts';

const SECONDS_PER_MINUTE = 60;
/** Maximum amount that the admin API accepts. */
const MAX_SECONDS = 1_000_000_000;

/** Converts minutes to whole seconds. The minutes are the text of a field. */
export function secondsOf(minutes: string): number {
  return Math.round(Number(minutes) * SECONDS_PER_MINUTE);
}

/** Converts seconds to minutes. Returns them as text for a field. */
export function minutesOf(seconds: number): string {
  return String(seconds / SECONDS_PER_MINUTE);
}

/** Returns why an amount in minutes cannot be used. Undefined if the amount is valid. */
export function problemOfMinutes(minutes: string): string | undefined {
  const seconds = Math.abs(secondsOf(minutes));
  if (seconds === 0) return adminTexts.grants.tooLittle;
  const most = Math.floor(MAX_SECONDS / SECONDS_PER_MINUTE);
  return seconds > MAX_SECONDS ? adminTexts.grants.tooMuch(formatNumber(most)) : undefined;
}
