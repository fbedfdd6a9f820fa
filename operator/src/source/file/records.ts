import type { FoundResource } from './parse.ts';
import { wholeFile } from './problem.ts';
import type { FileProblem } from './problem.ts';
import type { ReadFile } from './read.ts';
import type { Scan } from './scan.ts';

/** What is known of one file. Times are of the monotonic clock. */
export interface FileRecord {
  readonly path: string;
  readonly folder: string;
  stamp: string;
  modifiedMs: number;
  /** Since when the file looks like this. */
  unchangedSinceMs: number;
  /** Since when it is not there; undefined while it is. */
  absentSinceMs: number | undefined;
  /** The stamp of what was read last. */
  readStamp: string | undefined;
  fingerprint: string | undefined;
  /** What it last validly held; undefined: nothing yet. */
  found: readonly FoundResource[] | undefined;
  /** What is wrong with what was read last. */
  problems: readonly FileProblem[];
}

export type FileRecords = Map<string, FileRecord>;

/** Brings the records to what a scan shows. A file that is away is forgotten after the grace time only. */
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
    // A folder that is away (unmounted, being made again) says nothing about its files: what they held stays.
    if (sighted.has(record.path) || scan.unreadable.has(record.folder)) continue;
    record.absentSinceMs ??= nowMs;
    if (nowMs - record.absentSinceMs >= graceMs) records.delete(record.path);
  }
}

/**
 * True when the file has changed since it was read and is at rest: whoever writes it seems to have finished. Half of a
 * YAML file is often valid YAML, so reading early would delete what the other half holds.
 */
export function isReadable(record: FileRecord, nowMs: number, wallMs: number, quietMs: number): boolean {
  if (record.absentSinceMs !== undefined || record.stamp === record.readStamp) return false;
  return wallMs - record.modifiedMs >= quietMs || nowMs - record.unchangedSinceMs >= quietMs;
}

/** True while a file is there that nobody has tried to read. */
export function hasUnread(records: FileRecords): boolean {
  return [...records.values()].some(
    ({ fingerprint, absentSinceMs }) => fingerprint === undefined && absentSinceMs === undefined,
  );
}

const EMPTIED =
  'is empty but held resources, as after an interrupted save; restore it, or delete the file to delete what it held';

/** Notes what reading gave: a bad file keeps what it last validly held, and so does one that lost all it held. */
export function noteRead(record: FileRecord, stamp: string, read: ReadFile): void {
  const { fingerprint, parsed, refused = false } = read;
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

/** Why not everything that the folders hold has been read validly once; undefined when it has. */
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
