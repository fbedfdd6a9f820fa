import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../../notices.ts';
import { systemClock } from '../../queue/clock.ts';
import { keyOf } from '../source.ts';
import type { ResourceKey, ResourceSource, SourceListener } from '../source.ts';
import { createStore } from '../store.ts';
import { readResourceFile } from './read.ts';
import { hasUnread, isReadable, noteRead, noteScan, whyIncomplete } from './records.ts';
import type { FileRecords } from './records.ts';
import { createFileReports } from './report.ts';
import { resolve } from './resolve.ts';
import type { Owned } from './resolve.ts';
import { scanFolders } from './scan.ts';
import { createVanished } from './vanish.ts';

export interface FileSourceOptions {
  folders: readonly string[];
  /** Time between two looks at the folders. */
  pollMs: number;
  /** How long a file must be at rest before it is read. */
  quietMs: number;
  /** How long a resource must be absent before it counts as deleted. */
  deleteGraceMs: number;
  logger: Logger;
  notices: Notices;
}

/** The first look waits this many times the rest of a file for files that are being written. */
const FIRST_LOOK_QUIET_TIMES = 10;
const LONGEST_PAUSE_MS = 1000;

/**
 * Takes resources from the YAML and JSON files of folders. It looks at them again and again instead of being told by
 * the system: that works on every file system, for folders that come and go, and for editors that write by rename.
 */
export function createFileSource(options: FileSourceOptions): ResourceSource {
  const { folders, pollMs, quietMs, deleteGraceMs, logger, notices } = options;
  const store = createStore();
  const records: FileRecords = new Map();
  const vanished = createVanished<Owned>(deleteGraceMs);
  const reports = createFileReports(folders, logger, notices);
  const stopping = new AbortController();
  let inForce = new Map<ResourceKey, Owned>();
  let unsettled: string | undefined = 'the folders have not been read yet';
  let looping: Promise<void> = Promise.resolve();

  async function look({ onChange, onSettled }: SourceListener): Promise<void> {
    const scan = await scanFolders(folders);
    noteScan(records, scan, systemClock.nowMs(), deleteGraceMs);
    for (const record of records.values()) {
      if (!isReadable(record, systemClock.nowMs(), Date.now(), quietMs)) continue;
      const { stamp } = record;
      const read = await readResourceFile(record.path, stamp);
      if (read !== undefined) noteRead(record, stamp, read);
    }
    const resolution = resolve([...records.values()], inForce);
    inForce = vanished.keep(resolution.inForce, systemClock.nowMs());
    const changed = store.replace(new Map([...inForce].map(([key, { resource }]) => [key, resource])));
    reports.update(scan, records, resolution.duplicates);
    for (const key of changed) onChange(key);
    // Once everything has been read validly, what is absent was deleted, whatever goes bad later.
    if (unsettled === undefined) return;
    unsettled = whyIncomplete(records, scan);
    if (unsettled === undefined) onSettled();
  }

  /** A look that never fails: a fault of ours must not end the watching. Returns how long it took. */
  async function tryLook(listener: SourceListener): Promise<number> {
    const startedMs = systemClock.nowMs();
    try {
      await look(listener);
      notices.clear('look', () => logger.info('the configuration folders can be looked at again'));
    } catch (err) {
      notices.raise('look', String(err), () => logger.error({ err }, 'looking at the configuration folders failed'));
    }
    return systemClock.nowMs() - startedMs;
  }

  async function loop(listener: SourceListener, firstTookMs: number): Promise<void> {
    let tookMs = firstTookMs;
    for (;;) {
      try {
        await sleep(pauseMs(pollMs, tookMs), undefined, { signal: stopping.signal });
      } catch {
        return;
      }
      tookMs = await tryLook(listener);
    }
  }

  return {
    start: async (listener) => {
      const giveUpMs = systemClock.nowMs() + FIRST_LOOK_QUIET_TIMES * quietMs;
      let tookMs = await tryLook(listener);
      // Files written just before the start are not at rest yet; they belong to what was there.
      while (hasUnread(records) && systemClock.nowMs() < giveUpMs) {
        await sleep(pollMs);
        tookMs = await tryLook(listener);
      }
      looping = loop(listener, tookMs);
    },
    stop: async () => {
      stopping.abort();
      await looping;
    },
    get: store.get,
    list: store.list,
    keys: () => store.list().map(({ kind, metadata }) => keyOf(kind, metadata.name)),
    unsettled: () => unsettled,
    // What is wrong is a file, and a file that is removed is gone.
    problems: () => undefined,
    isNewest: () => Promise.resolve(true),
    hold: () => Promise.resolve(),
    release: () => Promise.resolve(),
    leaving: () => false,
    bad: reports.badFiles,
  };
}

/** Many files make a look take long; then looks are rarer and stay a small part of the process's time, within reason. */
function pauseMs(pollMs: number, tookMs: number): number {
  return Math.max(pollMs, Math.min(4 * tookMs, LONGEST_PAUSE_MS));
}
