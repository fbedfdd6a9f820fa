import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { METRICS } from '../lib/thresholds.ts';
import { buildLines, buildLogLines, writeResult } from './result-files.ts';
import { summarize } from './summary.ts';
import { balancesOf, FACTS, metricsOf, PLAN, trend } from './testing/metrics.ts';

const facts = { ...FACTS, declaredSlots: 100 };
const slow = metricsOf({ [METRICS.latency('delta')]: trend(400, 8, 300) });
const build = (changes: Partial<typeof facts> = {}, requiresLatency = true) =>
  summarize({ ...facts, ...changes }, { ...PLAN, requiresLatency }, slow, [balancesOf(6000)]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-result-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('buildLines shows latencies and gates, and the outcome in the last line', () => {
  const lines = buildLines(build());
  expect(lines.find((line) => line.includes('delta'))).toMatch(/^✗ delta +p50 +400 ms +p95 +400 ms.*target p95 300 ms/);
  expect(lines).toContain('✓ every flush got its final: 2 of 2');
  expect(lines.at(-1)).toBe('steady: FAILED');
});

test('buildLines does not judge latencies if the scenario need not meet the latency targets', () => {
  expect(buildLines(build({}, false)).find((line) => line.includes('delta'))).toMatch(/^ {2}delta/);
});

test('buildLines explains that a run is void because the machine became slower', () => {
  expect(buildLines(build({ declaredAfter: 80 })).at(-1)).toBe(
    'steady: VOID: the machine became slower during the run. A worker now declares 80 slots, not 100. Run again.',
  );
});

test('writeResult writes the summary as JSON and as the text that is printed', () => {
  const summary = build();
  const lines = writeResult(folder, summary);
  expect(readFileSync(join(folder, 'summary.txt'), 'utf8')).toBe(`${lines.join('\n')}\n`);
  expect(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'))).toEqual(summary);
});

test('buildLogLines returns summary.json and the compressed report.html of a run, in lines of less than 16 KiB', () => {
  const page = `<html>\n<body>\n${randomBytes(20_000).toString('hex')}</body>\n</html>\n`;
  const summary = build();
  writeResult(folder, summary);
  expect(buildLogLines(folder)).toHaveLength(1);
  writeFileSync(join(folder, 'report.html'), page);
  const lines = buildLogLines(folder);
  expect(lines.length).toBeGreaterThan(3);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(16_384);
  const [, json = ''] = lines[0]?.split('summary.json ') ?? [];
  expect(JSON.parse(json)).toEqual(summary);
  const packed = lines
    .slice(1)
    .map((line) => line.replace(/^report\.html\.gz /, ''))
    .join('');
  expect(gunzipSync(Buffer.from(packed, 'base64')).toString()).toBe(page);
});
