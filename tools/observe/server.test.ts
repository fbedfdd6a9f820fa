import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { createHistogram, createLogger, createTelemetry, readSettings, TELEMETRY_SETTINGS } from '@svc-asr/runtime';
import { GATEWAY_METRICS } from '../../gateway/src/telemetry/metric-list.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startReceiver } from '../../test/telemetry/receiver.ts';
import { startObserver } from './server.ts';
import type { PageData } from './view.ts';

const read = async (url: string) => (await (await fetch(`${url}/data`)).json()) as PageData;

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
  const { badges, cards, sessions } = await eventually(
    'the observer has the metrics and the trace',
    30_000,
    async () => {
      const data = await read(observer.url);
      const isComplete = data.cards[0]?.note.includes(' 20 in the last minute') && data.sessions.length > 0;
      return isComplete && typeof data.history.at(-1)?.values[0]?.[0] === 'number' && data;
    },
  );
  expect(badges).toContainEqual({ text: 'gateway', isBad: false });
  const [, p95] = cards[0]?.lines[0] ?? [];
  expect(p95).toBeGreaterThan(0.1);
  expect(p95).toBeLessThanOrEqual(0.15);
  expect(sessions).toMatchObject([{ id: session, spans: [{ service: 'gateway', name: 'POST /v1/asr/sessions' }] }]);
  await eventually(
    'the receiver has the metrics and the trace',
    30_000,
    () => receiver.spans.length > 0 && receiver.metrics.size > 0,
  );
  await telemetry.stop();
  await observer.stop();
  await receiver.stop();
});

test('the observer serves only its page, and only to requests for a loopback host', async () => {
  const observer = await startObserver();
  const page = await fetch(observer.url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const text = await page.text();
  const parts = [...text.matchAll(/(?:src|href)="([\w.]+)"/g)].map(([, name = '']) => name);
  expect(parts).toEqual(expect.arrayContaining(['main.js', 'page.css', 'uPlot.iife.min.js', 'uPlot.min.css']));
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
});
