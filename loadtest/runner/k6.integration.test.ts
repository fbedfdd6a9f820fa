import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/start/ports.ts';
import { createOptions } from '../lib/options.ts';
import type { Plan } from '../lib/plan.ts';
import { CHECKS } from '../lib/thresholds.ts';
import { buildPlan } from './build-plan.ts';
import { judgeGates } from './gates.ts';
import { readK6Metrics } from './k6-metrics.ts';
import type { K6Metrics } from './k6-metrics.ts';
import { findK6, runK6 } from './k6.ts';
import { findRecordings } from './recordings.ts';
import { concludeRamp } from './saturation.ts';

const MODEL = 'svc-asr-kikuyu-v1';

/** Fake service that refuses every session, as a pool without free slots does. */
let service: Server;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-k6-'));
  service = createServer((_request, response) => {
    response.writeHead(503, { 'retry-after': '1' }).end('{"error":{"code":"no_capacity"}}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true });
});

/** Runs a scenario against the service and returns the metrics of k6. */
async function run(scenario: 'smoke' | 'ramp-to-saturation', changes: Partial<Plan> = {}): Promise<K6Metrics> {
  const options = createOptions({ STREAMS: '2', SPREAD_SECONDS: '0' }, {});
  const address = `127.0.0.1:${await freePort('127.0.0.1')}`;
  const files = { planFile: join(folder, 'plan.json'), reportFile: join(folder, 'report.html') };
  const plan: Plan = {
    ...buildPlan(scenario, options, MODEL, { declared: 2, areFollowed: false }, findRecordings('', MODEL)),
    baseUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    callers: [{ tenant: 't', key: 'k', role: 'regular' }],
    gateUrl: '',
    k6Url: `http://${address}`,
    metricsFile: join(folder, 'metrics.json'),
    ...changes,
  };
  writeFileSync(files.planFile, JSON.stringify(plan));
  await runK6(await findK6(''), { script: scenario, caFile: '', address, ...files }, new AbortController().signal);
  return readK6Metrics(plan.metricsFile);
}

const failedGates = (metrics: K6Metrics) =>
  judgeGates(metrics, [])
    .filter(({ passed }) => !passed)
    .map(({ name, detail }) => `${name}: ${detail}`);

test('the scenario smoke fails if sessions are refused, because it does not allow refusals', async () => {
  expect(failedGates(await run('smoke'))).toEqual([
    'sessions were served: 0 sessions, 0 finals',
    `${CHECKS.refused}: 0 of 2`,
  ]);
});

test('the scenario ramp-to-saturation ends after the first step in which sessions are refused, and writes a report', async () => {
  const ramp = { steps: [1, 2], stepSeconds: 4, settleSeconds: 1 };
  const metrics = await run('ramp-to-saturation', { ramp, streams: 2, durationSeconds: 8, pauseMs: 0 });
  expect(failedGates(metrics)).toEqual(['sessions were served: 0 sessions, 0 finals']);
  const { failedAt, reason, steps } = concludeRamp(ramp, { delta: 300, final: 600, ready: 1000 }, metrics);
  expect([failedAt, steps.length]).toEqual([1, 1]);
  expect(reason).toMatch(/^no delta arrived, no final arrived, \d sessions refused$/);
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('<script id="data"');
});
