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

/** Does the same for calls that are asynchronous, one after the other. */
export async function leastGrowthOf(count: number, call: () => Promise<void>): Promise<number> {
  const growths: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.memoryUsage.rss();
    for (let i = 0; i < count; i++) await call();
    growths.push(process.memoryUsage.rss() - before);
  }
  return Math.min(...growths.slice(1));
}
