import { parseArgs } from 'node:util';
import type { CompatCase } from './cases.ts';

export const USAGE = `npm run compat -- [--only NAME]... [--short]

Runs clients of other projects against a local service and compares their transcripts with the native protocol.

  --only NAME   runs the cases whose name contains NAME; can be repeated
  --short       runs the cases of continuous integration
  --help        lists the cases
`;

/** Returns the cases that the command line selects. Returns undefined for `--help`. */
export function selectCases(args: readonly string[], cases: readonly CompatCase[]): CompatCase[] | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      short: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const unknown = values.only.find((part) => !cases.some(({ name }) => name.includes(part)));
  if (unknown !== undefined) {
    throw new Error(`no case is named "${unknown}". The cases are ${cases.map(({ name }) => name).join(', ')}`);
  }
  const selected = cases
    .filter(({ isShort }) => isShort || !values.short)
    .filter(({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)));
  if (selected.length === 0) throw new Error('--short includes no case that --only names. Pass one of them');
  return selected;
}
