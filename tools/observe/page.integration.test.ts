import { randomUUID } from 'node:crypto';
import { openBrowser } from '../../test/support/driven-browser.ts';
import { startObserver } from './server.ts';
import { buildExport, toAttributes } from './testing/export.ts';

const session = randomUUID();
const MODEL = { model: 'svc-asr-kikuyu-v1' };
const GATEWAY_METRICS = [
  ['svc_asr_delta_latency_seconds', { bounds: [0.3, 0.6], counts: [0, 10, 0] }],
  ['svc_asr_streams', 3, MODEL],
] as const;
const TRACES = {
  resourceSpans: [
    {
      resource: { attributes: toAttributes({ 'service.name': 'svc-asr-worker' }) },
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
  const post = (path: string, body: object) =>
    fetch(`${observer.url}/v1/${path}`, { method: 'POST', body: JSON.stringify(body) });
  // The metrics are sent repeatedly, as services do, because the page drops processes that stop sending.
  const timer = setInterval(() => {
    void post('metrics', buildExport('gateway', 'vm:1', GATEWAY_METRICS));
    void post('metrics', buildExport('worker', 'vm:42', [['svc_asr_worker_slots', 54, MODEL]]));
  }, 500);
  await post('traces', TRACES);
  const page = await openBrowser();
  const shows = (selector: string, text: string) =>
    page.until(`[...document.querySelectorAll('${selector}')].some((one) => one.textContent.includes('${text}'))`);
  await page.open(observer.url);
  // The latency exceeds its target and is shown as bad.
  await shows('b.bad', '585 ms');
  await shows('article', 'target 300 ms');
  await shows('td', 'kikuyu-v1 42');
  await shows('summary', session);
  await page.until(`document.querySelector('details[open] i.worker + u[title=opened]') !== null`);
  // All six plots have drawn something.
  await page.until(`[...document.querySelectorAll('canvas')].filter((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value) => value > 0);
  }).length === 6`);
  expect(page.errors()).toEqual([]);
  clearInterval(timer);
  await page.close();
  await observer.stop();
});
