import { buildFraming } from '../features/framing.ts';
import type { Backend, Runner } from './backend.ts';
import type { Search } from './search.ts';
import { measureContext, planMeasurement } from './warmup.ts';
import type { ContextCost, Measurement } from './warmup.ts';

/**
 * Measures a backend whose runner has this `run` function. Batches have two streams, and the look-ahead is `right`
 * frames.
 */
function measure(run: Runner['run'], right = 13, measurement?: Measurement): Promise<ContextCost> {
  const shape = { framing: buildFraming(right, 8), subsampling: 8, recomputesHistory: false };
  const startSearch = () => ({ transcript: { text: '' } }) as unknown as Search;
  const backend = { maxBatch: 2, maxRuns: 1, maxSlots: 4, startSearch, createRunner: () => ({ run }) };
  return measureContext(backend as unknown as Backend, `56,${right}`, shape, measurement ?? planMeasurement(1, false));
}

test('measureContext runs batches of several sizes with as many pieces as speech has, and returns the time per second of audio', async () => {
  const [sizes, pieces] = [new Set<number>(), new Set<number>()];
  const { realTimeFactor: factor, runCost } = await measure((batch) => {
    sizes.add(batch.length);
    for (const { leastPieces = 0 } of batch) pieces.add(leastPieces);
    return new Promise((resolve) => setImmediate(() => resolve(batch.flatMap(({ lane }) => lane.advance(14)))));
  });
  expect([...sizes]).toEqual([2, 1]);
  // A chunk of 1.12 s of speech has seven pieces on average.
  expect(pieces.size).toBeGreaterThan(1);
  expect(Math.max(...pieces)).toBeGreaterThanOrEqual(7);
  expect(runCost).toMatchObject({ sizes: [1, 2], isPadded: false });
  expect(runCost.timesMs[0]).toBeLessThanOrEqual(runCost.timesMs[1] ?? 0);
  expect(factor).toBeGreaterThan(0);
});

test('measureContext runs each batch size only a few times if measureMs is 0', async () => {
  const sizes: number[] = [];
  const run: Runner['run'] = (batch) => {
    sizes.push(batch.length);
    return Promise.resolve(batch.flatMap(({ lane }) => lane.advance(14)));
  };
  for (const isForSlots of [true, false]) await measure(run, 13, planMeasurement(0, isForSlots));
  expect(sizes).toEqual([2, 2, 1, 2, 2, 2, 1, 2]);
});

test('measureContext throws a ModelError if a stream fails because of an invalid score of the model', async () => {
  const message = 'the model returned a score that is not a number';
  const measured = measure((batch) =>
    Promise.resolve(batch.map(({ lane: { id } }) => ({ id, kind: 'failed', message }))),
  );
  await expect(measured).rejects.toMatchObject({
    code: 'graph_unsupported',
    message: expect.stringContaining(`the context [56,13] fails on noise: ${message}`),
  });
});

test('measureContext throws a ModelError if the buffer of a stream is shorter than a window', async () => {
  const run: Runner['run'] = (batch) => Promise.resolve(batch.flatMap(({ lane }) => lane.advance(50)));
  await expect(measure(run, 48)).resolves.toMatchObject({ realTimeFactor: expect.any(Number) });
  await expect(measure(run, 49)).rejects.toMatchObject({
    code: 'graph_unsupported',
    message:
      'the context [56,49]: a window has 65681 samples, but a stream buffers 65536; remove it from manifest.json',
  });
});
