import { pipeline } from 'node:stream/promises';
import { createAdminApi } from '../admin-api.ts';
import type { Command } from '../command.ts';
import { writeWhole } from '../write-file.ts';

const exportJournal: Command = {
  words: ['admin', 'journal', 'export'],
  args: [],
  summary: 'Export the journal of a tenant as JSON lines, oldest first.',
  examples: ['svc-asr admin journal export --tenant acme --output acme.ndjson'],
  api: 'admin',
  options: {
    tenant: {
      value: 'NAME',
      help: 'Name of the tenant. A deleted tenant works while its account is retained.',
      required: true,
    },
    output: {
      value: 'FILE',
      help: 'File to write. It is created only if the export is complete. Default: standard output.',
    },
  },
  run: async ({ option, json, output, stdout, adminEndpoint }) => {
    const path = `/tenants/${encodeURIComponent(option('tenant') ?? '')}/journal`;
    const body = await createAdminApi(adminEndpoint()).stream(path);
    const file = option('output');
    if (file === undefined) {
      await pipeline(body, stdout, { end: false });
      return;
    }
    const entries = await writeWhole(body, file);
    if (json) output.json({ file, entries });
    else output.note(`Wrote ${entries} ${entries === 1 ? 'entry' : 'entries'} to ${file}.`);
  },
};

export const JOURNAL_COMMANDS: readonly Command[] = [exportJournal];
