import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import { createNotices } from '../../notices.ts';
import { createClusterApi } from '../../testing/cluster-api.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { createScaleWriter } from './scale-writer.ts';

const RETRY_MS = 1000;
const first = { uid: 'uid', generation: 1, replicas: 2 };

function setUp() {
  const cluster = createClusterApi();
  const events: string[] = [];
  let nowMs = 0;
  const { logger, at } = createTestLogger();
  const scales = createScaleWriter({
    api: cluster.api,
    scaleRetryMs: RETRY_MS,
    nowMs: () => nowMs,
    events: { record: (_object, _type, reason) => void events.push(reason) },
    notices: createNotices(),
    logger,
  });
  /** Stores the model as a user would. */
  const put = (generation: number, scaling: object) =>
    cluster.put(TYPES.ASRModel, { metadata: { name: 'm', uid: 'uid', generation }, spec: { scaling } });
  put(1, { mode: 'External' });
  const scaling = () => (cluster.get(TYPES.ASRModel, 'm')!.spec as { scaling: object }).scaling;
  return { cluster, scales, events, at, put, scaling, pass: (ms: number) => (nowMs += ms) };
}

test('the scale writer writes replicas only once for each generation of the model', async () => {
  const { cluster, scales, put, scaling } = setUp();
  for (let round = 0; round < 3; round++) await scales.write('m', first);
  expect([cluster.writes.length, scaling()]).toEqual([1, { mode: 'External', replicas: 2 }]);
  put(2, { mode: 'External' });
  await scales.write('m', { ...first, generation: 2, replicas: 4 });
  expect(scaling()).toEqual({ mode: 'External', replicas: 4 });
});

test('the scale writer removes replicas from a model whose scaling mode ignores them', async () => {
  const { scales, put, scaling } = setUp();
  put(2, { mode: 'Sessions', replicas: 2 });
  await scales.write('m', { ...first, generation: 2, replicas: null });
  expect(scaling()).toEqual({ mode: 'Sessions' });
});

test('the scale writer keeps replicas that a user set after the response to a write of the scale writer was lost', async () => {
  const { cluster, scales, put, scaling } = setUp();
  const { mergePatch } = cluster.api;
  cluster.api.mergePatch = async (...request) => {
    await mergePatch(...request);
    throw new KubernetesError(0, 'Unreachable', 'the answer was lost');
  };
  await expect(scales.write('m', first)).rejects.toThrow('lost');
  cluster.api.mergePatch = mergePatch;
  put(3, { mode: 'External', replicas: 7 });
  await scales.write('m', first);
  expect(scaling()).toMatchObject({ replicas: 7 });
});

test('the scale writer keeps replicas that a user sets between its read and its write, and writes replicas after the user has unset them', async () => {
  const { cluster, scales, put, scaling } = setUp();
  const { get } = cluster.api;
  cluster.api.get = async (...request) => {
    const read = await get(...request);
    put(2, { mode: 'External', replicas: 7 });
    return read;
  };
  await scales.write('m', first);
  expect(scaling()).toMatchObject({ replicas: 7 });
  cluster.api.get = get;
  put(1, { mode: 'External' });
  await scales.write('m', first);
  expect(scaling()).toMatchObject({ replicas: 2 });
});

test.each([403, 422])(
  'the scale writer reports only once that an update was rejected with status %d, does not throw, and retries later',
  async (status) => {
    const { cluster, scales, events, at, scaling, pass } = setUp();
    cluster.refuseWith(new KubernetesError(status, 'Refused', 'a policy says no'));
    await scales.write('m', first);
    pass(RETRY_MS);
    await scales.write('m', first);
    expect([events, at('warn').length]).toEqual([['ScaleRefused'], 1]);
    cluster.refuseWith(undefined);
    await scales.write('m', first);
    expect(cluster.writes).toEqual([]);
    pass(RETRY_MS);
    await scales.write('m', first);
    expect(scaling()).toMatchObject({ replicas: 2 });
  },
);
