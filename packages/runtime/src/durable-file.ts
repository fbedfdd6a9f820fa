import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Names of temporary files. They start with a dot and have no YAML suffix, so that no reader of the folder mistakes one
 * for a resource.
 */
const TEMPORARY = /^\..*\.temporary$/;

/** Returns the whole content of a file. Undefined if the file does not exist. */
export async function readWhole(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file atomically with mode 0600, and creates its folder if needed. After it returns, the new content
 * survives a power failure.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.temporary`);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Removes a file. After it returns, the removal survives a power failure. */
export async function removeDurably(file: string): Promise<void> {
  await unlink(file);
  await syncFolder(dirname(file));
}

/**
 * Creates a folder that only its owner can read, unless it exists. Removes temporary files that a killed process left
 * in it.
 */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const leftovers = (await readdir(folder)).filter((name) => TEMPORARY.test(name));
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { force: true })));
}

/**
 * Flushes a folder to disk. The folder contains the names of its files, so a rename can otherwise be lost although the
 * content of the file is on disk.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
