import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AsrModelStatus } from '@svc-asr/core';

/** Slots that workers of a model measured, by revision, device and tier. The newest measurement is first. */
export type Measurements = NonNullable<AsrModelStatus['measuredSlots']>;

/** Stores the measurements of models for the next operator, if no status of an ASRModel stores them. */
export interface SlotsMemory {
  get: (model: string) => Measurements | undefined;
  put: (model: string, measured: Measurements) => void;
}

/** Opens a memory that is kept in a file. An unreadable file counts as empty. */
export function openSlotsMemory(file: string): SlotsMemory {
  const known = new Map(readMemory(file));
  return {
    get: (model) => known.get(model),
    put: (model, measured) => {
      known.set(model, measured);
      write(file, JSON.stringify(Object.fromEntries(known)));
    },
  };
}

/**
 * Creates a memory that stores nothing. It is used if the status of the ASRModel has the measurements, or if the
 * operator starts no workers.
 */
export function createSlotsMemory(): SlotsMemory {
  return { get: () => undefined, put: () => undefined };
}

function readMemory(file: string): [string, Measurements][] {
  try {
    const parsed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return Object.entries(parsed).map(([model, measured]) => [
      model,
      Array.isArray(measured) ? measured.filter(isMeasurement) : [],
    ]);
  } catch {
    return [];
  }
}

function isMeasurement(value: unknown): value is Measurements[number] {
  const { revision, slots } = (value ?? {}) as { revision?: unknown; slots?: unknown };
  return typeof revision === 'string' && typeof slots === 'number' && slots > 0;
}

function write(file: string, text: string): void {
  const temporary = `${file}.tmp`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}
