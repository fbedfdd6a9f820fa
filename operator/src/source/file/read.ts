import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { parseFile } from './parse.ts';
import type { Parsed } from './parse.ts';
import { wholeFile } from './problem.ts';
import { codeOf, stampOf } from './scan.ts';

/** A folder of resources is written by people and consoles; anything larger is there by mistake. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** What a file held, and a fingerprint of it. */
export interface ReadFile {
  fingerprint: string;
  parsed: Parsed;
  /** The system refused: the next look tries again, though the file may look the same. */
  refused?: boolean;
}

/** Reads a file; undefined when it changed meanwhile, so that half of it may be old. */
export async function readResourceFile(path: string, stamp: string): Promise<ReadFile | undefined> {
  let content: Buffer;
  try {
    content = await readAtMost(path, MAX_FILE_BYTES + 1);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    const parsed = bad(`cannot be read (${code}); check its owner and mode`);
    return { fingerprint: code, parsed, refused: true };
  }
  if ((await stampOf(path)) !== stamp) return undefined;
  if (content.length > MAX_FILE_BYTES) {
    return { fingerprint: 'too large', parsed: bad(`is larger than ${MAX_FILE_BYTES} bytes; split it into several`) };
  }
  const fingerprint = createHash('sha256').update(content).digest('hex');
  try {
    return { fingerprint, parsed: parseFile(new TextDecoder('utf-8', { fatal: true }).decode(content)) };
  } catch {
    return { fingerprint, parsed: bad('is not text in UTF-8') };
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

function bad(message: string): Parsed {
  return { ok: false, problems: [wholeFile(message)] };
}
