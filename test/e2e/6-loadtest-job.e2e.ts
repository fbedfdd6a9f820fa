import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Summary } from '../../loadtest/runner/summary.ts';
import { expectBalanced } from './balances.ts';
import { imageReference } from './environment.ts';
import { openHarness, until } from './harness.ts';
import type { Harness } from './harness.ts';
import { TENANT } from './live-streams.ts';
import { readPullPolicy } from './release.ts';

const FILE = join(import.meta.dirname, '../../loadtest/job.yaml');
const JOB = 'job/svc-asr-loadtest';
let harness: Harness;

beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.kubectl(['delete', JOB, '--ignore-not-found', '--timeout=120s']));

/** Returns the manifest of the Job with the image of this commit. */
function readJob(): string {
  const changes = [
    ['image: svc-asr-loadtest:0.1.0', `image: ${imageReference('svc-asr-loadtest')}`],
    ['imagePullPolicy: IfNotPresent', `imagePullPolicy: ${readPullPolicy()}`],
  ];
  return changes.reduce(
    (text, [from = '', to = '']) => {
      expect(text.split(from)).toHaveLength(2);
      return text.replace(from, to);
    },
    readFileSync(FILE, 'utf8'),
  );
}

const listTenantsAndKeys = async () =>
  (await harness.kubectl(['get', 'tenants,apikeys', '-o', 'name'])).split('\n').sort();

test('the load test Job passes, logs its report and deletes the tenants that it created', async () => {
  const before = await listTenantsAndKeys();
  await harness.kubectl(['apply', '-f', '-'], { input: readJob() });
  const conditions = await until(harness, JOB, '.status.conditions[*].type', /Complete|Failed/);
  const log = (await harness.kubectl(['logs', JOB])).trimEnd().split('\n');
  const fileOf = (name: string) =>
    log.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : [])).join('');
  // Copies the latencies to the test log.
  process.stderr.write(`${log.filter((line) => !/^(summary|report)\./.test(line)).join('\n')}\n`);
  expect(conditions).toContain('Complete');
  expect(log.join('\n')).toContain('smoke: passed');

  const summary = JSON.parse(fileOf('summary.json')) as Summary;
  expect(summary).toMatchObject({ outcome: 'passed', service: 'https://svc-asr-gateway', streams: 4, sessions: 4 });
  expect(summary.declaredSlots).toBeGreaterThan(0);
  expect(summary.gates.filter(({ passed }) => !passed)).toEqual([]);
  const balances = summary.gates.find(({ name }) => name.startsWith('balances add up'));
  expect(balances?.detail).toBe('2 tenants');
  expect(gunzipSync(Buffer.from(fileOf('report.html.gz'), 'base64')).toString()).toContain('<script id="data"');

  expect(await listTenantsAndKeys()).toEqual(before);
  await expectBalanced(harness, TENANT);
});
