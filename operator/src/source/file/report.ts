import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../../notices.ts';
import { describeFileProblems } from './problem.ts';
import type { FileProblem } from './problem.ts';
import type { FileRecords } from './records.ts';
import type { Scan } from './scan.ts';

export interface FileReports {
  /** Logs what is newly wrong with files and folders, and what is well again. */
  update: (scan: Scan, records: FileRecords, duplicates: ReadonlyMap<string, readonly FileProblem[]>) => void;
  badFiles: () => number;
}

const APPLIED_IN_PART = 'is applied in part';
const NOT_APPLIED = 'is not applied';
const LAST_VALID_STAYS = 'is not applied, its last valid content stays in force';
const HELD = '; what its files held stays in force until it is there again (an empty folder deletes it)';

/** Reports of bad files and folders, each once per content. */
export function createFileReports(folders: readonly string[], logger: Logger, notices: Notices): FileReports {
  let bad = new Set<string>();
  return {
    update: (scan, records, duplicates) => {
      for (const folder of folders) reportFolder(folder, scan, records, logger, notices);
      const before = bad;
      bad = new Set();
      for (const { path, problems: own, fingerprint = '', found } of records.values()) {
        const problems = own.length > 0 ? own : (duplicates.get(path) ?? []);
        if (problems.length === 0) continue;
        bad.add(path);
        const what = describeFileProblems(problems);
        notices.raise(`file ${path}`, `${fingerprint} ${what}`, () => {
          const effect = own.length === 0 ? APPLIED_IN_PART : found === undefined ? NOT_APPLIED : LAST_VALID_STAYS;
          logger.error({ file: path, problems }, `${path} ${effect}: ${what}`);
        });
      }
      for (const path of before) {
        if (bad.has(path)) continue;
        const state = records.has(path) ? 'valid again' : 'gone';
        notices.clear(`file ${path}`, () => logger.info({ file: path }, `${path} is ${state}`));
      }
    },
    badFiles: () => bad.size,
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
    logger.warn({ file: folder, reason }, `the folder ${folder} tells nothing: ${reason}${holds ? HELD : ''}`),
  );
}
