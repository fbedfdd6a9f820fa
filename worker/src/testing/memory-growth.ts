/** Rounds that are measured. The garbage collector can delay a collection past the end of one, but not of all. */
const ROUNDS = 3;

/**
 * Returns the least growth of the process in bytes over several rounds of `count` calls. A leak makes every round grow,
 * while a late collection makes only one grow. A first round fills memory that the process has already allocated.
 */
export function leastGrowth(count: number, call: () => void): number {
  const growths = Array.from({ length: ROUNDS + 1 }, () => {
    const before = process.memoryUsage.rss();
    for (let i = 0; i < count; i++) call();
    return process.memoryUsage.rss() - before;
  });
  return Math.min(...growths.slice(1));
}

/** Rounds of asynchronous calls. On a busy machine, several rounds can pass before the next collection. */
const MAX_ROUNDS = 12;
/** A round that grows by less than this shows that nothing leaks. */
const SMALL_BYTES = 5e6;

/** Does the same for calls that are asynchronous, one after the other. Ends after a round with little growth. */
export async function leastGrowthOf(count: number, call: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round <= MAX_ROUNDS && least > SMALL_BYTES; round++) {
    const before = process.memoryUsage.rss();
    for (let i = 0; i < count; i++) await call();
    if (round > 0) least = Math.min(least, process.memoryUsage.rss() - before);
  }
  return least;
}
