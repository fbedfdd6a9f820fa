import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMetrics } from '../metrics.ts';
import { createCounter, createGauge, createHistogram, prometheusSeries } from './instruments.ts';
import type { MetricDefinition } from './instruments.ts';

const DEFINITIONS: readonly MetricDefinition[] = [
  { name: 'svc_asr_things', kind: 'counter', description: 'Things.', labels: ['kind'] },
  { name: 'svc_asr_busy_seconds', kind: 'counter', unit: 's', description: 'Time.' },
  { name: 'svc_asr_stall_seconds', kind: 'gauge', unit: 's', description: 'A stall.' },
  { name: 'http.server.request.duration', kind: 'histogram', unit: 's', description: 'Took.', buckets: [1, 2] },
];

test('prometheusSeries returns names of time series that the /metrics response contains', async () => {
  const metrics = createMetrics('test');
  for (const definition of DEFINITIONS) {
    if (definition.kind === 'counter') createCounter(metrics.meter, definition).add(1, { kind: 'a' });
    else if (definition.kind === 'gauge') createGauge(metrics.meter, definition).addCallback((r) => r.observe(1));
    else createHistogram(metrics.meter, definition).record(1.5);
  }
  const server = createServer((request, response) => metrics.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const text = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
  server.closeAllConnections();
  server.close();
  await metrics.stop();
  for (const name of DEFINITIONS.flatMap(prometheusSeries)) expect(text).toMatch(new RegExp(`^${name}(\\{| )`, 'm'));
  expect(text).toContain('svc_asr_things_total{kind="a"} 1');
  expect(text).toContain('http_server_request_duration_seconds_bucket{le="2"} 1');
  expect(text).toContain('service_name="svc-asr-test"');
});
