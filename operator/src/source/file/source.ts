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
import { createDeletionGrace } from './deletion-grace.ts';

export interface FileSourceOptions {
  folders: readonly string[];
  /** Time between two scans. */
  pollMs: number;
  /** Time without further changes after which a file is read. */
  settleMs: number;
  /** Time after which a missing resource counts as deleted. */
  deleteGraceMs: number;
  logger: Logger;
  notices: Notices;
}

/** Longest time that `start` waits for files that are being written, as a multiple of `settleMs`. */
const FIRST_SCAN_SETTLE_TIMES = 10;
const LONGEST_PAUSE_MS = 1000;

/**
 * Provides resources from YAML and JSON files in folders. It polls, because polling works on every file system. It also
 * works for folders that are removed and recreated, and for editors that write by rename.
 */
export function createFileSource(options: FileSourceOptions): ResourceSource {
  const { folders, pollMs, settleMs, deleteGraceMs, logger, notices } = options;
  const store = createStore();
  const records: FileRecords = new Map();
  const deletionGrace = createDeletionGrace<Owned>(deleteGraceMs);
  const reports = createFileReports(folders, logger, notices);
  const stopping = new AbortController();
  let effective = new Map<ResourceKey, Owned>();
  let unsettled: string | undefined = 'the folders have not been read yet';
  let looping: Promise<void> = Promise.resolve();

  async function scanOnce({ onChange, onSettled }: SourceListener): Promise<void> {
    const scan = await scanFolders(folders);
    noteScan(records, scan, systemClock.nowMs(), deleteGraceMs);
    for (const record of records.values()) {
      if (!isReadable(record, systemClock.nowMs(), Date.now(), settleMs)) continue;
      const { stamp } = record;
      const read = await readResourceFile(record.path, stamp);
      if (read !== undefined) noteRead(record, stamp, read);
    }
    const resolution = resolve([...records.values()], effective);
    effective = deletionGrace.keep(resolution.effective, systemClock.nowMs());
    const changed = store.replace(new Map([...effective].map(([key, { resource }]) => [key, resource])));
    reports.update(scan, records, resolution.duplicates);
    for (const key of changed) onChange(key);
    // Once everything was read successfully, every missing resource counts as deleted, even if a file becomes invalid
    // later.
    if (unsettled === undefined) return;
    unsettled = whyIncomplete(records, scan);
    if (unsettled === undefined) onSettled();
  }

  /** Scans once and never rejects, because an internal error must not end the polling. Returns the duration. */
  async function tryScan(listener: SourceListener): Promise<number> {
    const startedMs = systemClock.nowMs();
    try {
      await scanOnce(listener);
      notices.clear('scan', () => logger.info('the configuration folders can be scanned again'));
    } catch (err) {
      notices.raise('scan', String(err), () => logger.error({ err }, 'the configuration folders could not be scanned'));
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
      tookMs = await tryScan(listener);
    }
  }

  return {
    start: async (listener) => {
      const deadlineMs = systemClock.nowMs() + FIRST_SCAN_SETTLE_TIMES * settleMs;
      let tookMs = await tryScan(listener);
      // A file is not read before it has stopped changing. Files that were written just before the start belong to the
      // initial state, so the start waits for them.
      while (hasUnread(records) && systemClock.nowMs() < deadlineMs) {
        await sleep(pollMs);
        tookMs = await tryScan(listener);
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
    // Problems are logged per file. A resource is read only from valid content, so it has no problems of its own.
    problems: () => undefined,
    isNewest: () => Promise.resolve(true),
    hold: () => Promise.resolve(),
    release: () => Promise.resolve(),
    isDeleting: () => false,
    isDuplicate: () => false,
    invalidCount: reports.invalidFiles,
  };
}

/** Returns the pause before the next scan. With many files, scans take longer and are less frequent, within limits. */
function pauseMs(pollMs: number, tookMs: number): number {
  return Math.max(pollMs, Math.min(4 * tookMs, LONGEST_PAUSE_MS));
}
