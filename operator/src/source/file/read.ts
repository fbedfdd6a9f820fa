import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { parseFile } from './parse.ts';
import type { Parsed } from './parse.ts';
import { wholeFile } from './problem.ts';
import { codeOf, stampOf } from './scan.ts';

/** Maximum size of a resource file. A larger file is certainly a mistake. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Content of a file and its fingerprint. */
export interface ReadFile {
  fingerprint: string;
  parsed: Parsed;
  /** True if the file could not be read. The next scan retries even if the file is unchanged. */
  unreadable?: boolean;
}

/**
 * Reads a file. Returns undefined if the file was deleted, or if it changed during the read. In the second case the
 * content may be a mixture of two versions.
 */
export async function readResourceFile(path: string, stamp: string): Promise<ReadFile | undefined> {
  let content: Buffer;
  try {
    content = await readAtMost(path, MAX_FILE_BYTES + 1);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    const parsed = invalid(`cannot be read (${code}); check its owner and mode`);
    return { fingerprint: code, parsed, unreadable: true };
  }
  if ((await stampOf(path)) !== stamp) return undefined;
  if (content.length > MAX_FILE_BYTES) {
    return {
      fingerprint: 'too large',
      parsed: invalid(`is larger than ${MAX_FILE_BYTES} bytes; split it into several`),
    };
  }
  const fingerprint = createHash('sha256').update(content).digest('hex');
  try {
    return { fingerprint, parsed: parseFile(new TextDecoder('utf-8', { fatal: true }).decode(content)) };
  } catch {
    return { fingerprint, parsed: invalid('is not text in UTF-8') };
  }
}

async function readAtMost(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, end: bytes - 1 })) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
    }
    return Buffer.concat(chunks, length);
  } finally {
    await file.close();
  }
}

function invalid(message: string): Parsed {
  return { ok: false, problems: [wholeFile(message)] };
}
