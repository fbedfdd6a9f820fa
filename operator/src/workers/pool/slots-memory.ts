import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Revision } from '../template.ts';

/**
 * Remembers the slots per worker that workers of a revision measured. A pool without workers needs the number to decide
 * how many workers to start; without it each waiting session would start one worker.
 */
export interface SlotsMemory {
  get: (of: Revision) => number | undefined;
  put: (of: Revision, slots: number | undefined) => void;
}

/** Opens a memory that is kept in a file. An unreadable file counts as empty. */
export function openSlotsMemory(file: string): SlotsMemory {
  const known = new Map<string, { revision: string; slots: number }>(read(file));
  return {
    get: ({ model, revision }) => {
      const found = known.get(model);
      return found?.revision === revision ? found.slots : undefined;
    },
    put: ({ model, revision }, slots) => {
      const before = known.get(model);
      if (slots === undefined || (before?.revision === revision && before.slots === slots)) return;
      known.set(model, { revision, slots });
      write(file, JSON.stringify(Object.fromEntries(known)));
    },
  };
}

/** Creates a memory that keeps nothing, for cases where the status of the ASRModel has the number. */
export function createSlotsMemory(): SlotsMemory {
  return { get: () => undefined, put: () => undefined };
}

function read(file: string): [string, { revision: string; slots: number }][] {
  try {
    const parsed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { revision?: unknown; slots?: unknown }>;
    return Object.entries(parsed).flatMap(([model, { revision, slots }]) =>
      typeof revision === 'string' && typeof slots === 'number' && slots > 0 ? [[model, { revision, slots }]] : [],
    );
  } catch {
    return [];
  }
}

function write(file: string, text: string): void {
  const temporary = `${file}.tmp`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}
