import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { createHistogram, createLogger, createTelemetry, readSettings, TELEMETRY_SETTINGS } from '@svc-asr/runtime';
import { GATEWAY_METRICS } from '../../gateway/src/telemetry/metric-list.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startReceiver } from '../../test/telemetry/receiver.ts';
import { startObserver } from './server.ts';
import type { Snapshot } from './snapshot.ts';
import type { ShownSession } from './traces.ts';

interface Data {
  now: Snapshot;
  history: object[];
  sessions: ShownSession[];
}

const read = async (url: string) => (await (await fetch(`${url}/data`)).json()) as Data;

test('the observer shows the metrics and traces of a service and forwards them', async () => {
  const receiver = await startReceiver();
  const observer = await startObserver({ forwardTo: receiver.url });
  const settings = readSettings(TELEMETRY_SETTINGS, { ...observer.env, OTEL_METRIC_EXPORT_INTERVAL: '100' });
  const telemetry = await createTelemetry('gateway', settings, createLogger('test', 'silent'));
  const latency = createHistogram(telemetry.metrics.meter, GATEWAY_METRICS.deltaSeconds);
  for (let n = 0; n < 20; n++) latency.record(0.12, { model: 'm' });
  const session = randomUUID();
  const self = telemetry.tracing?.rootOf(session);
  telemetry.tracing?.start('POST /v1/asr/sessions', self === undefined ? {} : { self }).end();
  const { now, sessions } = await eventually('everything is there', 20_000, async () => {
    const data = await read(observer.url);
    return data.now.latency.delta.count === 20 && data.sessions.length > 0 && data.history.length > 0 && data;
  });
  expect(now.sources).toEqual([{ service: 'gateway', instance: expect.stringContaining(String(process.pid)) }]);
  expect(now.latency.delta.p95).toBeGreaterThan(0.1);
  expect(now.latency.delta.p95).toBeLessThanOrEqual(0.15);
  expect(now.latency.final).toMatchObject({ count: 0, targetS: 0.6 });
  expect(sessions).toMatchObject([{ id: session, spans: [{ service: 'gateway', parent: '' }] }]);
  await eventually('the receiver has it too', 20_000, () => receiver.spans.length > 0 && receiver.metrics.size > 0);
  await telemetry.stop();
  await observer.stop();
  await receiver.stop();
}, 60_000);

test('the observer serves only its page, and only to requests for a loopback host', async () => {
  const observer = await startObserver();
  const page = await fetch(observer.url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const text = await page.text();
  const parts = [...text.matchAll(/(?:src|href)="([\w.]+)"/g)].map(([, name = '']) => name);
  expect(parts.length).toBeGreaterThan(1);
  for (const name of parts) expect((await fetch(`${observer.url}/${name}`)).status).toBe(200);
  for (const path of ['/server.ts', '/..%2fserver.ts', '/page', '/v1/traces']) {
    expect((await fetch(observer.url + path)).status).toBe(404);
  }
  expect((await fetch(`${observer.url}/v1/traces`, { method: 'POST', body: 'nonsense' })).status).toBe(400);
  const status = await new Promise((resolve, reject) => {
    const { port } = new URL(observer.url);
    const asked = request({ host: '127.0.0.1', port, headers: { host: 'evil.example' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
  expect(status).toBe(403);
  await observer.stop();
}, 60_000);
