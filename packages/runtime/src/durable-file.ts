import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Drafts begin with a dot and end in no suffix of YAML, so that no reader of the folder takes one for a resource. */
const DRAFT = /^\..*\.draft$/;

/** The text of a file; undefined when there is none. */
export async function readWhole(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file whole or not at all: once this returns, the new text survives a power cut. Mode 0600; its folder is
 * made where there is none.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.draft`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Removes a file; once this returns, it stays removed after a power cut. */
export async function removeDurably(file: string): Promise<void> {
  await unlink(file);
  await syncFolder(dirname(file));
}

/** Makes a folder that only its owner can read, without the drafts that a killed process left in it. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const drafts = (await readdir(folder)).filter((name) => DRAFT.test(name));
  await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true })));
}

/** The name of a file is part of its folder: without this a rename can be lost although the file is on disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
