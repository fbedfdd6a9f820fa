/** Number of resources and pods of a benchmark run. */
export interface Size {
  /** Resources of each of the two kinds. */
  resources: number;
  pods: number;
}

/** Returns the given size, overridden by `BENCH_RESOURCES` and `BENCH_PODS`. */
export function readSize(usual: Size, env: NodeJS.ProcessEnv): Size {
  return {
    resources: readNumber(env, 'BENCH_RESOURCES') ?? usual.resources,
    pods: readNumber(env, 'BENCH_PODS') ?? usual.pods,
  };
}

function readNumber(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  if (!/^[1-9][0-9]*$/.test(text)) throw new Error(`${name} must be a number from 1 on, not "${text}"`);
  return Number(text);
}

/** Returns the candidate that takes the least time. */
export async function findBest<T>(candidates: readonly T[], timeOf: (candidate: T) => Promise<number>): Promise<T> {
  let best: { candidate: T; ms: number } | undefined;
  for (const candidate of candidates) {
    const ms = await timeOf(candidate);
    if (best === undefined || ms < best.ms) best = { candidate, ms };
  }
  if (best === undefined) throw new Error('findBest needs at least one candidate');
  return best.candidate;
}
