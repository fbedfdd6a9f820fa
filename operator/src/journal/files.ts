import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@svc-asr/runtime';

/** Appends lines of JSON to files. Each writer has its own files, one per UTC day of the entries. */
export interface JournalFiles {
  /** Appends the lines to their files. Once the promise has resolved, the lines survive a power failure. */
  append: (lines: readonly JournalLine[]) => Promise<void>;
}

/** A line without its line break, and the time of its entry. */
export interface JournalLine {
  text: string;
  atMs: number;
}

const NEWLINE = 0x0a;

/**
 * Creates the files `YYYY-MM-DD.WRITER.jsonl` in a folder. Each process needs its own writer name, because two
 * processes must not append to the same file.
 */
export function createJournalFiles(folder: string, writer: string): JournalFiles {
  /** Files to which this process has appended successfully. They therefore end with a whole line. */
  const opened = new Set<string>();

  async function appendTo(name: string, text: string): Promise<void> {
    // Until the write has succeeded, the file may end with half a line.
    const isKnown = opened.delete(name);
    const handle = await open(join(folder, name), 'a+', 0o600);
    try {
      const { size } = await handle.stat();
      const isTorn = !isKnown && size > 0 && (await lastByte(handle, size)) !== NEWLINE;
      await handle.appendFile(isTorn ? `\n${text}` : text);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    if (!isKnown) await syncFolder(folder);
    opened.add(name);
  }

  return {
    append: async (lines) => {
      const byDay = new Map<string, string[]>();
      for (const { text, atMs } of lines) {
        const day = new Date(atMs).toISOString().slice(0, 10);
        const texts = byDay.get(day);
        if (texts === undefined) byDay.set(day, [text]);
        else texts.push(text);
      }
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const [day, texts] of byDay) await appendTo(`${day}.${writer}.jsonl`, `${texts.join('\n')}\n`);
    },
  };
}

async function lastByte(handle: Awaited<ReturnType<typeof open>>, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}
