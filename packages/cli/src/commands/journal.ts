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
  summary: 'Export the journal of a tenant as lines of JSON, oldest first.',
  speaksTo: 'admin',
  options: {
    tenant: { value: 'NAME', help: 'The tenant; a deleted one too, while its account is kept.', required: true },
    output: { value: 'FILE', help: 'Write to this file, whole or not at all. Default: standard output.' },
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

/** Writes a body to a file, which appears when all of it is there; gives its number of lines. */
async function writeWhole(body: AsyncIterable<Buffer>, file: string): Promise<number> {
  const draft = `${file}.${process.pid}.partial`;
  let lines = 0;
  async function* counted() {
    for await (const chunk of body) {
      for (const byte of chunk) if (byte === 0x0a) lines++;
      yield chunk;
    }
  }
  try {
    await pipeline(counted(), createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true }));
    await rename(draft, file);
    return lines;
  } catch (error) {
    await rm(draft, { force: true });
    if (error instanceof SvcAsrUnreachable) throw error;
    throw new UsageError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export const JOURNAL_COMMANDS: readonly Command[] = [exportJournal];
