import type { FoundResource } from './parse.ts';
import { wholeFile } from './problem.ts';
import type { FileProblem } from './problem.ts';
import type { ReadFile } from './read.ts';
import type { Scan } from './scan.ts';

/** State of one file. Times are of the monotonic clock, except for `modifiedMs`, which is of the wall clock. */
export interface FileRecord {
  readonly path: string;
  readonly folder: string;
  stamp: string;
  modifiedMs: number;
  /** Time since which the file is unchanged. */
  unchangedSinceMs: number;
  /** Time since which the file is missing. Undefined while it exists. */
  absentSinceMs: number | undefined;
  /** Stamp of the content that was read last. Undefined if the last attempt to read failed, or if there was none. */
  readStamp: string | undefined;
  fingerprint: string | undefined;
  /** Last valid content. Undefined if there was none yet. */
  found: readonly FoundResource[] | undefined;
  /** Problems of the content that was read last. */
  problems: readonly FileProblem[];
}

export type FileRecords = Map<string, FileRecord>;

/** Updates the records with a scan. A missing file is dropped after the grace time. */
export function noteScan(records: FileRecords, scan: Scan, nowMs: number, graceMs: number): void {
  const sighted = new Set<string>();
  for (const { path, folder, stamp, modifiedMs } of scan.sightings) {
    sighted.add(path);
    const record = records.get(path) ?? unread(path, folder);
    records.set(path, record);
    record.absentSinceMs = undefined;
    if (record.stamp === stamp) continue;
    record.stamp = stamp;
    record.modifiedMs = modifiedMs;
    record.unchangedSinceMs = nowMs;
  }
  for (const record of records.values()) {
    // A missing folder was unmounted, or is being recreated. Its files may still exist, so their content is kept.
    if (sighted.has(record.path) || scan.unreadable.has(record.folder)) continue;
    record.absentSinceMs ??= nowMs;
    if (nowMs - record.absentSinceMs >= graceMs) records.delete(record.path);
  }
}

/**
 * Returns whether the file changed since it was read and is no longer being written. Part of a YAML file is often valid
 * YAML, so reading the file too early would delete the resources in the missing part.
 */
export function isReadable(record: FileRecord, nowMs: number, wallMs: number, settleMs: number): boolean {
  if (record.absentSinceMs !== undefined || record.stamp === record.readStamp) return false;
  return wallMs - record.modifiedMs >= settleMs || nowMs - record.unchangedSinceMs >= settleMs;
}

/** Returns whether there is an existing file that was never read. */
export function hasUnread(records: FileRecords): boolean {
  return [...records.values()].some(
    ({ fingerprint, absentSinceMs }) => fingerprint === undefined && absentSinceMs === undefined,
  );
}

const EMPTIED =
  'is empty but contained resources, as after an interrupted save; restore it, or delete the file to delete its resources';

/** Records the result of a read. If a file became invalid or empty, the record keeps its last valid content. */
export function noteRead(record: FileRecord, stamp: string, read: ReadFile): void {
  const { fingerprint, parsed, unreadable: refused = false } = read;
  record.readStamp = refused ? undefined : stamp;
  record.fingerprint = fingerprint;
  if (!parsed.ok) {
    record.problems = parsed.problems;
  } else if (parsed.found.length === 0 && record.found !== undefined && record.found.length > 0) {
    record.problems = [wholeFile(EMPTIED)];
  } else {
    record.problems = [];
    record.found = parsed.found;
  }
}

/**
 * Returns why resources may be unknown: a folder cannot be listed, or a file has never been valid. Undefined if all
 * resources are known.
 */
export function whyIncomplete(records: FileRecords, scan: Scan): string | undefined {
  for (const [folder, reason] of scan.unreadable) return `folder ${folder}: ${reason}`;
  for (const { path, found, absentSinceMs } of records.values()) {
    if (found === undefined && absentSinceMs === undefined) return `file ${path} has not been valid yet`;
  }
  return undefined;
}

function unread(path: string, folder: string): FileRecord {
  return {
    path,
    folder,
    stamp: '',
    modifiedMs: 0,
    unchangedSinceMs: 0,
    absentSinceMs: undefined,
    readStamp: undefined,
    fingerprint: undefined,
    found: undefined,
    problems: [],
  };
}
