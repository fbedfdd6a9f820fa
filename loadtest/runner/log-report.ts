import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { REPORT_FILES } from './run.ts';

/**
 * Returns the files of a run as log lines that start with the file name, because only the log of an ended pod can be
 * read. The summary is JSON. The page contains line breaks and is therefore compressed and base64-encoded.
 */
export function buildReportLines(out: string): string[] {
  const read = (name: string) => readFileSync(join(out, name), 'utf8');
  return [
    `${REPORT_FILES.summary} ${JSON.stringify(JSON.parse(read(REPORT_FILES.summary)))}`,
    `${REPORT_FILES.page}.gz ${gzipSync(read(REPORT_FILES.page)).toString('base64')}`,
  ];
}
