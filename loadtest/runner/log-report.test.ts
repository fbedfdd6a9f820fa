import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { buildReportLines } from './log-report.ts';

test('buildReportLines returns one line per file, with the page compressed', () => {
  const out = mkdtempSync(join(tmpdir(), 'svc-asr-log-'));
  const [summary, page] = [{ outcome: 'passed', gates: [] }, '<html>\n<body>\n</body>\n</html>\n'];
  writeFileSync(join(out, 'summary.json'), JSON.stringify(summary, null, 2));
  writeFileSync(join(out, 'report.html'), page);
  const lines = buildReportLines(out);
  rmSync(out, { recursive: true });
  expect(lines.join('\n').split('\n')).toHaveLength(2);
  const [, json = ''] = lines[0]?.split('summary.json ') ?? [];
  expect(JSON.parse(json)).toEqual(summary);
  const [, packed = ''] = lines[1]?.split('report.html.gz ') ?? [];
  expect(gunzipSync(Buffer.from(packed, 'base64')).toString()).toBe(page);
});
