import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createAdminApi } from '../admin-api.ts';
import type { Command, Invocation } from '../command.ts';
import { UsageError } from '../exit.ts';
import { parseRange } from '../usage-range.ts';
import type { UsageRange } from '../usage-range.ts';
import { writeWhole } from '../write-file.ts';

const FORMATS = ['csv', 'jsonl'];

const exportUsage: Command = {
  words: ['admin', 'usage', 'export'],
  args: [],
  summary: 'Export settled usage per tenant, day and model. Default: the previous month, of all tenants.',
  examples: [
    'svc-asr admin usage export --output usage.csv',
    'svc-asr admin usage export --from 2027-01-01 --to 2027-01-31 --format jsonl',
  ],
  api: 'admin',
  options: {
    from: { value: 'DATE', help: 'First day, in UTC, such as 2027-01-01.' },
    to: { value: 'DATE', help: 'Last day, in UTC. Default: yesterday.' },
    period: { value: 'PERIOD', help: 'Instead of --from: day or month, the last complete one. Default: month.' },
    format: { value: 'FORMAT', help: 'csv or jsonl. Default: csv.' },
    tenant: { value: 'NAME', help: 'Export only this tenant. Default: all tenants.' },
    output: {
      value: 'FILE',
      help: 'File to write. It appears only if the export is complete. Default: standard output.',
    },
    folder: { value: 'FOLDER', help: 'Instead of --output: folder for a file usage-FROM-TO.FORMAT.' },
  },
  run: async (invocation) => {
    const { option, json, output, stdout, adminEndpoint } = invocation;
    const format = option('format') ?? 'csv';
    if (!FORMATS.includes(format)) throw new UsageError('--format must be csv or jsonl');
    const range = parseRange({ from: option('from'), to: option('to'), period: option('period') }, Date.now());
    const file = fileOf(invocation, range, format);
    const query = new URLSearchParams({ from: range.from, to: range.to, format });
    const tenant = option('tenant');
    if (tenant !== undefined) query.set('tenant', tenant);
    const body = await createAdminApi(adminEndpoint()).stream(`/usage?${query.toString()}`);
    if (file === undefined) {
      await pipeline(body, stdout, { end: false });
      return;
    }
    // The first line of a CSV file has the names of the columns and does not count as a row.
    const rows = (await writeWhole(body, file)) - (format === 'csv' ? 1 : 0);
    if (json) output.json({ file, from: range.from, to: range.to, rows });
    else output.note(`Wrote ${rows} ${rows === 1 ? 'row' : 'rows'} to ${file}.`);
  },
};

/** Returns the file to write. Undefined for standard output. */
function fileOf({ option }: Invocation, { from, to }: UsageRange, format: string): string | undefined {
  const [file, folder] = [option('output'), option('folder')];
  if (folder === undefined) return file;
  if (file !== undefined) throw new UsageError('--folder cannot be combined with --output');
  return join(folder, `usage-${from}-${to}.${format}`);
}

export const USAGE_COMMANDS: readonly Command[] = [exportUsage];
