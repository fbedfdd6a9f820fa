import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Summary } from '../../tools/loadtest/summary.ts';
import { expectBalanced } from './books.ts';
import { TENANT } from './live.ts';
import { openStage, until } from './stage.ts';
import type { Stage } from './stage.ts';

const FILE = join(import.meta.dirname, '../../loadtest/job.yaml');
const JOB = 'job/svc-asr-loadtest';
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.kubectl(['delete', JOB, '--ignore-not-found', '--timeout=120s']);
  stage.close();
});

/** The file as it is, but for where its image comes from. */
function readJob(): string {
  return [
    ['image: svc-asr-loadtest:0.1.0', `image: localhost/svc-asr-loadtest:${process.env.E2E_TAG ?? ''}`],
    ['imagePullPolicy: IfNotPresent', 'imagePullPolicy: Never'],
  ].reduce(
    (text, [old = '', now = '']) => {
      expect(text.split(old)).toHaveLength(2);
      return text.replace(old, now);
    },
    readFileSync(FILE, 'utf8'),
  );
}

const people = async () => (await stage.kubectl(['get', 'tenants,apikeys', '-o', 'name'])).split('\n').sort();

test('a load test that runs as a Job passes, removes what it made, and can be read from its log', async () => {
  const before = await people();
  await stage.kubectl(['apply', '-f', '-'], readJob());
  const conditions = await until(stage, JOB, '.status.conditions[*].type', /Complete|Failed/);
  const log = (await stage.kubectl(['logs', JOB])).trimEnd().split('\n');
  const fileOf = (name: string) => log.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  // Its latencies belong into the log of whoever runs this.
  process.stderr.write(`${log.filter((line) => !/^(summary|report)\./.test(line)).join('\n')}\n`);
  expect(conditions).toContain('Complete');
  expect(log.join('\n')).toContain('smoke: passed');

  const summary = JSON.parse(fileOf('summary.json')) as Summary;
  expect(summary).toMatchObject({ outcome: 'passed', service: 'https://svc-asr-gateway', streams: 4, sessions: 4 });
  expect(summary.declaredSlots).toBeGreaterThan(0);
  expect(summary.gates.filter(({ passed }) => !passed)).toEqual([]);
  const books = summary.gates.find(({ name }) => name.startsWith('the books balance'));
  expect(books?.detail).toBe('2 tenants');
  expect(gunzipSync(Buffer.from(fileOf('report.html.gz'), 'base64')).toString()).toContain('<svg ');

  expect(await people()).toEqual(before);
  await expectBalanced(stage, TENANT);
});
