import type { LoadRecord } from './record.ts';

/** Passes a record to the command. k6 writes its console output to a file, one record per line. */
export function writeRecord(record: LoadRecord): void {
  console.log(JSON.stringify(record));
}
