import { PARTS, readGpuOptions } from './options.ts';

test('readGpuOptions selects all parts of the benchmark and three runs of 120 s for the size "full"', () => {
  expect(readGpuOptions({}, 'full')).toMatchObject({ parts: PARTS, provider: 'cuda', seconds: 120, runs: 3 });
});

test('readGpuOptions reads benchmark parts, a context and numbers from the environment', () => {
  const env = { GPU_PARTS: 'engine,worker', GPU_CONTEXT: '56,3', GPU_STREAMS: '12', GPU_BATCHES: '1,2', GPU_RUNS: '0' };
  expect(readGpuOptions(env, 'quick')).toMatchObject({
    parts: ['engine', 'worker'],
    context: [56, 3],
    streams: 12,
    batches: [1, 2],
    runs: 0,
  });
});

test.each([
  [{ GPU_PARTS: 'engine,speed' }, 'GPU_PARTS names "speed"'],
  [{ GPU_CONTEXT: '56' }, 'GPU_CONTEXT=56 is not of the form LEFT,RIGHT'],
  [{ GPU_STREAMS: '1.5' }, 'GPU_STREAMS=1.5 is not a whole number'],
])('readGpuOptions refuses %j', (env, message) => {
  expect(() => readGpuOptions(env, 'usual')).toThrow(message);
});
