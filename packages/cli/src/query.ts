import type { Command, Invocation } from './command.ts';

/**
 * Builds the query of a request from the options of a command that were given. Each parameter has the name of its
 * option, with underscores instead of hyphens.
 */
export function queryOf({ options }: Command, option: Invocation['option']): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(options)) {
    const value = option(name);
    if (value !== undefined) query.set(name.replaceAll('-', '_'), value);
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}
