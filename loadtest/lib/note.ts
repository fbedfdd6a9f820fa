import type { LoadRecord } from './record.ts';

/** Hands a record to the command: k6 is told to write the console's output to a file, one line each. */
export function note(record: LoadRecord): void {
  console.log(JSON.stringify(record));
}
