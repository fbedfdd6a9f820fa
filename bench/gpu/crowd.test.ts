import { EventEmitter } from 'node:events';
import type { EngineStream } from '@svc-asr/worker';
import { runCrowd } from './crowd.ts';
import type { CrowdOptions } from './crowd.ts';

const [CHUNK, PERIOD_MS] = [1280, 80];

/** Returns a fake engine that answers each window and each flush after this delay. */
function slowEngine(delayMs: number): CrowdOptions['engine'] {
  const info = { contexts: [{ context: [56, 0], chunkSamples: CHUNK, realTimeFactor: 0 }] };
  const open = () => {
    const stream = new EventEmitter();
    return Object.assign(stream, {
      write: () => setTimeout(() => stream.emit('consumed', 0), delayMs),
      flush: () => setTimeout(() => stream.emit('final', { text: 'a' }), delayMs),
      close: () => undefined,
    }) as unknown as EngineStream;
  };
  return { info, freeSlots: 100, open } as unknown as CrowdOptions['engine'];
}

test('runCrowd measures the full latency of a window even if later windows were written before the answer to that window arrived', async () => {
  const delayMs = 5 * PERIOD_MS;
  const { latencies, failures } = await runCrowd({
    engine: slowEngine(delayMs),
    context: [56, 0],
    streams: 3,
    seconds: 2,
    warmSeconds: 0.5,
    speech: new Int16Array(20 * 16_000),
    controls: [],
    startAtMs: Date.now(),
  });
  expect(failures).toEqual([]);
  expect(latencies.length).toBeGreaterThan(0);
  expect(Math.min(...latencies)).toBeGreaterThan(delayMs - 10);
});
