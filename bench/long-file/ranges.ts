import type { Segment } from '../hour/balance.ts';

/** A word of `verbose_json`, with times in seconds. */
export interface TimedWord {
  readonly start: number;
  readonly end: number;
}

/** Range in which the next cut is searched, after the last one. One session has at most 300 s. */
const EARLIEST_MS = 200_000;
const LATEST_MS = 290_000;

/** Divides audio into ranges for native sessions, in the middle of the longest gaps between words. */
export function divideAtGaps(words: readonly TimedWord[], durationMs: number): Segment[] {
  const ranges: Segment[] = [];
  let startMs = 0;
  while (durationMs - startMs > LATEST_MS) {
    const [from, to] = [startMs + EARLIEST_MS, startMs + LATEST_MS];
    let [cutMs, longest] = [to, -1];
    for (const [at, { end }] of words.entries()) {
      const nextMs = (words[at + 1]?.start ?? durationMs / 1000) * 1000;
      const middleMs = Math.round((end * 1000 + nextMs) / 2);
      if (middleMs < from || middleMs > to || nextMs - end * 1000 <= longest) continue;
      [cutMs, longest] = [middleMs, nextMs - end * 1000];
    }
    ranges.push({ start_ms: startMs, end_ms: cutMs, text: '' });
    startMs = cutMs;
  }
  return [...ranges, { start_ms: startMs, end_ms: durationMs, text: '' }];
}
