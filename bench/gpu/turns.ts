/** A speaker that writes once per period. */
export interface Turn {
  /** Time within a period at which the speaker writes. */
  readonly phaseMs: number;
  /** Time at which the speaker opens its first stream. */
  readonly startMs: number;
}

export interface TurnOptions<T extends Turn> {
  /** Value of `performance.now()` at which the first period starts. */
  readonly startedMs: number;
  readonly periodMs: number;
  /** Time before the measurement. */
  readonly warmSeconds: number;
  /** Duration of the measurement. */
  readonly seconds: number;
  /** Called at the start of each period. */
  readonly onPeriod: (isMeasured: boolean) => void;
  readonly speak: (speaker: T) => void;
}

/**
 * Share of the time before the measurement in which streams open. In the rest of that time, they reach a steady state.
 */
const OPENING_SHARE = 0.6;

/** Returns a random time before the measurement at which a speaker opens its first stream. */
export const randomStartMs = (warmSeconds: number): number => Math.random() * OPENING_SHARE * warmSeconds * 1000;

/** Returns the number of streams that the generator with this index runs. */
export function shareOf(streams: number, index: number, generators: number): number {
  return Math.floor((streams * (index + 1)) / generators) - Math.floor((streams * index) / generators);
}

/**
 * Lets each speaker write once per period, in the order of their phases. Returns how late each measured turn was, in
 * milliseconds.
 */
export async function takeTurns<T extends Turn>(speakers: readonly T[], options: TurnOptions<T>): Promise<number[]> {
  const { startedMs, periodMs, warmSeconds, seconds, onPeriod, speak } = options;
  const ordered = [...speakers].sort((a, b) => a.phaseMs - b.phaseMs);
  const lags: number[] = [];
  for (let cycle = 0; cycle * periodMs < (warmSeconds + seconds) * 1000; cycle++) {
    const isMeasured = cycle * periodMs >= warmSeconds * 1000;
    onPeriod(isMeasured);
    for (let i = 0; i < ordered.length;) {
      const elapsedMs = performance.now() - startedMs;
      for (; i < ordered.length; i++) {
        const speaker = ordered[i];
        const lagMs = elapsedMs - cycle * periodMs - (speaker?.phaseMs ?? 0);
        if (speaker === undefined || lagMs < 0) break;
        if (isMeasured) lags.push(lagMs);
        if (elapsedMs >= speaker.startMs) speak(speaker);
      }
      // Yields to the event loop, so that results can arrive between two turns.
      await new Promise((resolve) => (i < ordered.length ? setTimeout(resolve, 1) : setImmediate(resolve)));
    }
  }
  return lags;
}
