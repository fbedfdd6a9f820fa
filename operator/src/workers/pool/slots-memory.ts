import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Revision } from '../runtime.ts';

/** What workers of a revision measured, kept for pools without any: else each would begin with one worker per session. */
export interface SlotsMemory {
  get: (of: Revision) => number | undefined;
  put: (of: Revision, slots: number | undefined) => void;
}

/** A memory in a file; one that is damaged is as good as none. */
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

/** None: what is known then is what the pools themselves have seen. */
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
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.draft`, text, { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}
