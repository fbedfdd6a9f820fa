import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { REPORT_FILES } from './run.ts';

/**
 * What a run wrote, as lines of a log, each with the name of its file in front: of a pod that has ended nothing else can
 * be had. The summary is JSON; the page, which has line breaks, is packed and in base64.
 */
export function buildReportLines(out: string): string[] {
  const read = (name: string) => readFileSync(join(out, name), 'utf8');
  return [
    `${REPORT_FILES.summary} ${JSON.stringify(JSON.parse(read(REPORT_FILES.summary)))}`,
    `${REPORT_FILES.page}.gz ${gzipSync(read(REPORT_FILES.page)).toString('base64')}`,
  ];
}
