import { existsSync, readFileSync } from 'node:fs';
import type { LoadRecord, RefusalRecord, SessionRecord, UtteranceRecord } from '../lib/record.ts';

/** The records of a run, by kind. */
export interface Records {
  readonly created: readonly Extract<LoadRecord, { kind: 'created' }>[];
  readonly sessions: readonly SessionRecord[];
  readonly utterances: readonly UtteranceRecord[];
  readonly refusals: readonly RefusalRecord[];
}

/** Reads the records that k6 has written so far. An incomplete last line is ignored. */
export function readRecords(file: string): Records {
  return parseRecords(existsSync(file) ? readFileSync(file, 'utf8') : '');
}

/** Parses lines of records and groups them by kind. */
export function parseRecords(text: string): Records {
  const records = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LoadRecord);
  const of = <K extends LoadRecord['kind']>(kind: K) =>
    records.filter((record): record is Extract<LoadRecord, { kind: K }> => record.kind === kind);
  return { created: of('created'), sessions: of('session'), utterances: of('utterance'), refusals: of('refusal') };
}
