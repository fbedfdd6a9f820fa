import { locale, texts } from '../../texts/index.ts';

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const precise = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });

/** Formats a duration below one second in milliseconds, and a longer duration in seconds. */
export function formatLatency(ms: number): string {
  const { milliseconds, seconds } = texts.playground.units;
  return Math.round(ms) < 1000 ? `${whole.format(ms)} ${milliseconds}` : `${precise.format(ms / 1000)} ${seconds}`;
}
