import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logFileOf, openLog, readLastLogLine } from './log.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-logs-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const fatal = { level: 'fatal', message: 'could not start', err: { message: 'tokens.txt is missing' } };

test.each([
  ['', ''],
  ['worker: MODEL is not set: which model\n', 'worker: MODEL is not set: which model'],
  [`{"message":"starting"}\n${JSON.stringify(fatal)}\n`, 'could not start: tokens.txt is missing'],
  ['Error: it broke\n    at main (x.js:1)\n\nNode.js v24\n', 'Error: it broke'],
  ['one\ntwo\n', 'two'],
])('readLastLogLine of %j is %j', (text, words) => {
  writeFileSync(join(folder, 'x.log'), text);
  expect(readLastLogLine(join(folder, 'x.log'))).toBe(words);
});

test('readLastLogLine of a missing file is empty', () => {
  expect(readLastLogLine(join(folder, 'none.log'))).toBe('');
});

test('openLog deletes all but the newest 20 logs of a model, and no log of another model', () => {
  writeFileSync(logFileOf(folder, 'm-other-00000000'), '');
  for (let n = 0; n < 25; n++) {
    const id = `m-${String(n).padStart(8, '0')}`;
    closeSync(openLog(folder, 'm', id));
    utimesSync(logFileOf(folder, id), n, n);
  }
  const names = readdirSync(folder).sort();
  expect(names).toHaveLength(21);
  expect(names.slice(0, 2)).toEqual(['worker-m-00000005.log', 'worker-m-00000006.log']);
});
