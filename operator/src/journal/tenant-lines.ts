import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { removeDurably, syncFolder } from '@svc-asr/runtime';

const EXPORTED = /^\d{4}-\d{2}-\d{2}\..*\.jsonl$/;
/** A file that an interrupted removal left behind. */
const TEMPORARY = /^\d{4}-\d{2}-\d{2}\..*\.jsonl\.temporary$/;

/** Returns the number of lines of a tenant in the exported journal. */
export async function countTenantLines(folder: string, tenant: string): Promise<number> {
  let count = 0;
  for (const name of await filesOf(folder)) count += await countIn(join(folder, name), tenant);
  return count;
}

/**
 * Removes the lines of a tenant from the exported journal, and returns their number. A file with such lines is replaced
 * atomically, or deleted if no line is left. A file that an interrupted removal left behind is deleted and not counted.
 * No other task may append to the files at the same time.
 */
export async function removeTenantLines(folder: string, tenant: string): Promise<number> {
  let removed = 0;
  for (const name of await filesOf(folder)) {
    const file = join(folder, name);
    if (TEMPORARY.test(name)) {
      await removeDurably(file);
      continue;
    }
    const count = await countIn(file, tenant);
    if (count > 0) await rewrite(folder, name, tenant);
    removed += count;
  }
  return removed;
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => EXPORTED.test(name) || TEMPORARY.test(name)).sort();
  } catch (error) {
    // The first export creates the folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readLines(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Infinity });
}

async function countIn(file: string, tenant: string): Promise<number> {
  let count = 0;
  for await (const line of readLines(file)) if (belongsTo(tenant, line)) count++;
  return count;
}

/**
 * Returns whether a line belongs to a tenant. A line that a crash cut off is not valid JSON, but it still starts with
 * the tenant's name. A line that was cut off right after the name also counts. It may belong to a tenant with a longer
 * name, but its removal is harmless, because the line contains nothing else.
 */
function belongsTo(tenant: string, line: string): boolean {
  const start = `{"tenant":"${tenant}`;
  return line === start || line.startsWith(`${start}"`);
}

async function rewrite(folder: string, name: string, tenant: string): Promise<void> {
  const [file, temporary] = [join(folder, name), join(folder, `${name}.temporary`)];
  let kept = 0;
  async function* others() {
    for await (const line of readLines(file)) {
      if (belongsTo(tenant, line)) continue;
      kept++;
      yield `${line}\n`;
    }
  }
  await pipeline(Readable.from(others()), createWriteStream(temporary, { mode: 0o600 }));
  if (kept === 0) {
    await rm(temporary);
    return removeDurably(file);
  }
  const handle = await open(temporary, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncFolder(folder);
}
