import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../../notices.ts';
import { describeFileProblems } from './problem.ts';
import type { FileProblem } from './problem.ts';
import type { FileRecords } from './records.ts';
import type { Scan } from './scan.ts';

export interface FileReports {
  /** Logs new problems of files and folders, and their recovery. */
  update: (scan: Scan, records: FileRecords, duplicates: ReadonlyMap<string, readonly FileProblem[]>) => void;
  invalidFiles: () => number;
}

const APPLIED_IN_PART = 'is applied only in part';
const NOT_APPLIED = 'is not applied';
const LAST_VALID_STAYS = 'is not applied, and its last valid content stays effective';
const HELD = '; its resources stay effective until the folder is back (an empty folder deletes them)';

/** Creates the reports of invalid files and folders. A problem is logged again only after the content has changed. */
export function createFileReports(folders: readonly string[], logger: Logger, notices: Notices): FileReports {
  let invalid = new Set<string>();
  return {
    update: (scan, records, duplicates) => {
      for (const folder of folders) reportFolder(folder, scan, records, logger, notices);
      const before = invalid;
      invalid = new Set();
      for (const { path, problems: own, fingerprint = '', found } of records.values()) {
        const problems = own.length > 0 ? own : (duplicates.get(path) ?? []);
        if (problems.length === 0) continue;
        invalid.add(path);
        const what = describeFileProblems(problems);
        notices.raise(`file ${path}`, `${fingerprint} ${what}`, () => {
          const effect = own.length === 0 ? APPLIED_IN_PART : found === undefined ? NOT_APPLIED : LAST_VALID_STAYS;
          logger.error({ file: path, problems }, `${path} ${effect}: ${what}`);
        });
      }
      for (const path of before) {
        if (invalid.has(path)) continue;
        const state = records.has(path) ? 'valid again' : 'deleted';
        notices.clear(`file ${path}`, () => logger.info({ file: path }, `${path} is ${state}`));
      }
    },
    invalidFiles: () => invalid.size,
  };
}

function reportFolder(folder: string, scan: Scan, records: FileRecords, logger: Logger, notices: Notices): void {
  const reason = scan.unreadable.get(folder);
  if (reason === undefined) {
    notices.clear(`folder ${folder}`, () => logger.info({ file: folder }, `the folder ${folder} can be read now`));
    return;
  }
  const holds = [...records.values()].some((record) => record.folder === folder);
  notices.raise(`folder ${folder}`, reason, () =>
    logger.warn({ file: folder, reason }, `the folder ${folder} cannot be read: ${reason}${holds ? HELD : ''}`),
  );
}
