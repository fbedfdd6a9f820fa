/** Numbers of resources and of pods in a benchmark run. */
export interface Size {
  models: number;
  tenants: number;
  /** Number of API keys. They are distributed among the tenants. */
  keys: number;
  pods: number;
}

/** Returns the given size. BENCH_MODELS, BENCH_TENANTS, BENCH_KEYS and BENCH_PODS override its numbers. */
export function readSize(usual: Size, env: NodeJS.ProcessEnv): Size {
  return {
    models: readNumber(env, 'BENCH_MODELS') ?? usual.models,
    tenants: readNumber(env, 'BENCH_TENANTS') ?? usual.tenants,
    keys: readNumber(env, 'BENCH_KEYS') ?? usual.keys,
    pods: readNumber(env, 'BENCH_PODS') ?? usual.pods,
  };
}

/** Returns the size with at most `most` resources of each kind. */
export function limitSize(size: Size, most: number): Size {
  const { models, tenants, keys, pods } = size;
  return { models: Math.min(models, most), tenants: Math.min(tenants, most), keys: Math.min(keys, most), pods };
}

/** Describes a size for the progress messages of a run. */
export function describeSize({ models, tenants, keys }: Size): string {
  return `${models} models, ${tenants} tenants, ${keys} keys`;
}

export function countResources({ models, tenants, keys }: Size): number {
  return models + tenants + keys;
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
