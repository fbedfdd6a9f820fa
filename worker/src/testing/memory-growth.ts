/**
 * Number of measured rounds. In some of them, memory can grow without a leak, because the garbage collector has not run
 * yet. It runs in time for at least one round.
 */
const ROUNDS = 3;

/**
 * Returns the smallest growth of the process in bytes over several rounds of `count` calls. With a leak, the process
 * grows in every round. With a late garbage collection, it grows only in some rounds. The first round does not count.
 * In this round, a leak can fill memory that the process already has, so that the process does not grow.
 */
export function leastGrowth(count: number, call: () => void): number {
  const growths = Array.from({ length: ROUNDS + 1 }, () => {
    const before = process.memoryUsage.rss();
    for (let i = 0; i < count; i++) call();
    return process.memoryUsage.rss() - before;
  });
  return Math.min(...growths.slice(1));
}

/**
 * Maximum number of rounds of asynchronous calls. On a busy machine, several rounds can pass before the next garbage
 * collection.
 */
const MAX_ROUNDS = 12;
/** Growth in bytes below which a round shows that there is no leak. */
const SMALL_BYTES = 5e6;

/**
 * Returns the smallest growth of the process in bytes over several rounds of `count` asynchronous calls, which run one
 * after the other. The first round does not count. Ends after the first other round with a growth below SMALL_BYTES.
 */
export async function leastGrowthOf(count: number, call: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round <= MAX_ROUNDS && least > SMALL_BYTES; round++) {
    const before = process.memoryUsage.rss();
    for (let i = 0; i < count; i++) await call();
    if (round > 0) least = Math.min(least, process.memoryUsage.rss() - before);
  }
  return least;
}
