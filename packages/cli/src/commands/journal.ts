import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { SvcAsrUnreachable } from '@svc-asr/client';
import { createAdminApi } from '../admin-api.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit.ts';

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

/** Writes a body to a file and returns its number of lines. The file appears only when it is complete. */
async function writeWhole(body: AsyncIterable<Buffer>, file: string): Promise<number> {
  const temporaryFile = `${file}.${process.pid}.partial`;
  let lines = 0;
  async function* counted() {
    for await (const chunk of body) {
      for (const byte of chunk) if (byte === 0x0a) lines++;
      yield chunk;
    }
  }
  try {
    await pipeline(counted(), createWriteStream(temporaryFile, { mode: 0o600, flags: 'wx', flush: true }));
    await rename(temporaryFile, file);
    return lines;
  } catch (error) {
    await rm(temporaryFile, { force: true });
    if (error instanceof SvcAsrUnreachable) throw error;
    throw new UsageError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export const JOURNAL_COMMANDS: readonly Command[] = [exportJournal];
