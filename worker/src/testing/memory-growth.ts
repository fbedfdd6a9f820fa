/**
 * Number of measured rounds. The garbage collector may run too late for some of the rounds, but not for all of them.
 */
const ROUNDS = 3;

/**
 * Returns the smallest growth of the process in bytes over several rounds of `count` calls. A leak makes the process
 * grow in every round, but a late garbage collection only in some. A first round is not counted. It may fill memory
 * that the process has already allocated, and a leak would then not make the process grow.
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
/** Growth below which a round shows that nothing leaks. */
const SMALL_BYTES = 5e6;

/**
 * Like `leastGrowth`, for asynchronous calls that run one after the other. Ends after the first round with little
 * growth.
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
