import { UsageError } from './exit.ts';

/** Parses the values of `--model-limit`, each `MODEL=N`, as limits of a Tenant. */
export function parseModelLimits(values: readonly string[]): { model: string; concurrentSessions: number }[] {
  return values.map((value) => {
    const [, model, limit] = /^([^=]+)=(\d{1,12})$/.exec(value) ?? [];
    if (model === undefined) throw new UsageError(`--model-limit must be MODEL=N, not "${value}"`);
    return { model, concurrentSessions: Number(limit) };
  });
}
