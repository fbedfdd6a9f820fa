import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHROMIUM } from '../install/programs.ts';
import { startObserver } from './server.ts';

const session = randomUUID();
const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

/** Metrics that a gateway and a worker would send. */
const METRICS = {
  resourceMetrics: [
    {
      resource: { attributes: [attribute('service.name', 'svc-asr-gateway'), attribute('service.instance.id', 'g')] },
      scopeMetrics: [
        {
          metrics: [
            {
              name: 'svc_asr_delta_latency_seconds',
              histogram: { dataPoints: [{ count: 10, explicitBounds: [0.3, 0.6], bucketCounts: [0, 10, 0] }] },
            },
            {
              name: 'svc_asr_streams',
              gauge: { dataPoints: [{ attributes: [attribute('model', 'svc-asr-kikuyu-v1')], asInt: 3 }] },
            },
          ],
        },
      ],
    },
    {
      resource: {
        attributes: [attribute('service.name', 'svc-asr-worker'), attribute('service.instance.id', 'vm:42')],
      },
      scopeMetrics: [
        {
          metrics: [
            {
              name: 'svc_asr_worker_slots',
              gauge: { dataPoints: [{ attributes: [attribute('model', 'svc-asr-kikuyu-v1')], asInt: 54 }] },
            },
          ],
        },
      ],
    },
  ],
};
const TRACES = {
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'svc-asr-worker')] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: session.replaceAll('-', ''),
              spanId: '1',
              name: 'recognize',
              startTimeUnixNano: '1000000',
              endTimeUnixNano: '9000000',
              events: [{ name: 'opened', timeUnixNano: '2000000' }],
            },
          ],
        },
      ],
    },
  ],
};

test('the observe page shows latencies, workers and sessions in a browser', async () => {
  const observer = await startObserver();
  for (const [path, body] of Object.entries({ metrics: METRICS, traces: TRACES })) {
    await fetch(`${observer.url}/v1/${path}`, { method: 'POST', body: JSON.stringify(body) });
  }
  const program = CHROMIUM.find();
  if (program === undefined) throw new Error('Chromium is not installed. Run `npm test`, which installs it.');
  const profile = mkdtempSync(join(tmpdir(), 'svc-asr-observe-'));
  const { stdout } = await promisify(execFile)(
    program,
    [
      ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...[`--user-data-dir=${profile}`, '--virtual-time-budget=2500', '--dump-dom', observer.url],
    ],
    { timeout: 90_000, maxBuffer: 16_777_216 },
  );
  await observer.stop();
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  // The latency exceeds its target and is shown as bad.
  expect(stdout).toMatch(/<b class="bad">5\d\d ms<\/b>/);
  expect(stdout).toContain('target 300 ms');
  expect(stdout).toContain('kikuyu-v1 42');
  expect(stdout).toContain(session);
  expect(stdout).toMatch(/<rect[^>]*>/);
}, 120_000);
