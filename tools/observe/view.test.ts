import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_METRICS } from '../docs/service-metrics.ts';
import { MetricStore } from './metric-store.ts';
import { buildExport } from './testing/export.ts';
import { buildView } from './view.ts';

const MODEL = { model: 'svc-asr-kikuyu-v1' };
const NOW_MS = 20_000;

/** Builds the view of a service with one model, one worker and one waiting session. */
function build() {
  const store = new MetricStore();
  store.take(
    buildExport('gateway', 'vm:1', [
      ['svc_asr_streams', 3, MODEL],
      ['svc_asr_delta_latency_seconds', { bounds: [0.3, 0.6], counts: [0, 10, 0] }, MODEL],
      ['svc_asr_http_requests', 40, { status: '201', code: '' }],
      ['svc_asr_http_requests', 10, { status: '503', code: 'no_capacity' }],
      ['svc_asr_streams_ended', 2, { reason: 'client closed' }],
      ['svc_asr_stream_moves', 1, { cause: 'drain' }],
      ['http.server.request.duration', { bounds: [0.1], counts: [50, 0] }, { 'http.route': '/v1/asr/sessions' }],
      ['svc_asr_redis_ready', 0],
      ['svc_asr_pending_settlements', 2],
    ]),
    NOW_MS,
  );
  store.take(
    buildExport('operator', 'vm:2', [
      ['svc_asr_pool_slots', 54, MODEL],
      ['svc_asr_pool_sessions', 1, { ...MODEL, state: 'waiting' }],
      ['svc_asr_operator_workers', 1, { ...MODEL, state: 'ready' }],
      ['svc_asr_operator_workers', 2, { ...MODEL, state: 'desired' }],
    ]),
    NOW_MS,
  );
  store.take(
    buildExport('worker', 'vm:42', [
      ['svc_asr_worker_slots', 54, MODEL],
      ['svc_asr_worker_streams', 3, MODEL],
      ['svc_asr_worker_runs', 10, MODEL],
      ['svc_asr_worker_batch_size', 20, MODEL],
      ['svc_asr_worker_run_seconds', 5, MODEL],
      ['svc_asr_worker_wait_seconds', 1, MODEL],
    ]),
    NOW_MS,
  );
  return buildView(store, NOW_MS);
}

test('buildView marks missing services, an unavailable Redis and unsettled sessions as bad', () => {
  const texts = (isBad: boolean) => build().badges.flatMap((badge) => (badge.isBad === isBad ? [badge.text] : []));
  expect(texts(true)).toEqual(['console', 'Redis', '2 unsettled sessions']);
  expect(texts(false)).toEqual(['gateway', 'operator', 'worker', 'ledger', 'longest stall 0 ms']);
});

test('buildView shows each latency with its target, and the load', () => {
  const { cards } = build();
  expect(cards.map(({ title, isBad, note }) => [title, isBad, note])).toEqual([
    ['Delta latency, p95', true, 'target 300 ms, p50 450 ms, 10 in the last minute'],
    ['Final latency, p95', false, 'target 600 ms, none in the last minute'],
    ['Ready latency, p95', false, 'target 1 s, none in the last minute'],
    ['Streams', true, 'of 54 slots, 1 waiting'],
    ['Busiest worker', false, 'of the time in inference'],
    ['Requests per second', true, '0 sessions, 1 errors'],
  ]);
  expect(cards.map(({ lines }) => lines)).toEqual([
    [
      ['p95', expect.closeTo(0.585)],
      ['target', 0.3],
    ],
    [
      ['p95', undefined],
      ['target', 0.6],
    ],
    [
      ['p95', undefined],
      ['target', 1],
    ],
    [
      ['streams', 3],
      ['slots', 54],
    ],
    [['busy', 0.5]],
    [
      ['requests', 5],
      ['errors', 1],
    ],
  ]);
});

test('buildView lists models, workers, routes and events', () => {
  expect(build().tables.map(({ rows }) => rows)).toEqual([
    [['svc-asr-kikuyu-v1', [3, 54], 0, 1, '1 / 2']],
    [['kikuyu-v1 42', [3, 54], '50 %', '2', '50 ms', '500 ms']],
    [['/v1/asr/sessions', 50, '95 ms']],
    [
      ['Request failed', 'no_capacity', 10],
      ['Stream ended', 'client closed', 2],
      ['Stream moved', 'drain', 1],
    ],
  ]);
});

test('view.ts reads only metrics that the services export', () => {
  const source = readFileSync(join(import.meta.dirname, 'view.ts'), 'utf8');
  const read = new Set([...source.matchAll(/'(svc_asr_\w+|http\.[\w.]+duration)'/g)].map(([, name]) => name));
  const exported = new Set(
    Object.values(SERVICE_METRICS).flatMap((list) => Object.values(list).map(({ name }) => name)),
  );
  expect(read.size).toBeGreaterThan(15);
  expect([...read].filter((name) => !exported.has(name ?? ''))).toEqual([]);
});
