import { ConsoleError } from '../errors.ts';

export const DAY_MS = 86_400_000;

/** Returns the day of a time, as YYYY-MM-DD in UTC. */
export function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * Rejects days that do not exist, and a range that ends before it starts. Also rejects days before `oldest`, whose
 * usage Redis may have deleted.
 */
export function checkRange(from: string, to: string, oldest: string): void {
  const refuse = (message: string) => new ConsoleError('invalid_parameters', { message });
  for (const [name, date] of Object.entries({ from, to })) {
    const atMs = Date.parse(`${date}T00:00:00Z`);
    if (Number.isNaN(atMs) || dateOf(atMs) !== date) {
      throw refuse(`${name}: ${date} is not a day of the calendar.`);
    }
  }
  if (from > to) throw refuse(`from: ${from} is later than ${to}, the last day.`);
  if (from < oldest) throw refuse(`from: Usage before ${oldest} is no longer complete. Choose a later day.`);
}
