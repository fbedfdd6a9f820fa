import { TYPES } from '@svc-asr/kubernetes';
import { createNotices } from '../../notices.ts';
import { createClusterApi } from '../../testing/cluster-api.ts';
import { INSTALLATION, templateOf } from '../../testing/cluster-models.ts';
import { desiredWorkers, TestPods } from '../../testing/cluster-pods.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { model } from '../../testing/resources.ts';
import { NamespacedRuntime } from './namespaced-runtime.ts';

const LATE = { ...templateOf(model('m', {}), INSTALLATION, 'uid'), namespace: 'late' };

/** Creates a runtime with a namespace `late`, whose objects are not listed until the test calls `list`. */
async function setUp() {
  const platform = createClusterApi();
  const late = createClusterApi();
  let list: () => void = () => undefined;
  const listed = new Promise<void>((resolve) => (list = resolve));
  const changed: string[] = [];
  const removed: string[] = [];
  const parts = { installation: INSTALLATION, secretSources: [], events: { record: () => undefined } };
  const runtime = new NamespacedRuntime({
    namespaces: [
      { api: platform.api, reflect: platform.reflect, ...parts },
      {
        api: { ...late.api, namespace: 'late' },
        reflect: (type, options) => ({ ...late.reflect(type, options), start: () => listed }),
        ...parts,
      },
    ],
    namespaceTimeoutMs: 0,
    onRemoved: (name) => Promise.resolve(void removed.push(name)),
    overdueMs: 0,
    scaleRetryMs: 20,
    enqueue: () => undefined,
    logger: createTestLogger().logger,
    notices: createNotices(),
    nowMs: () => 0,
  });
  await runtime.open({ onEnded: () => undefined, onChanged: (name) => changed.push(name) });
  return {
    runtime,
    late,
    changed,
    removed,
    list: async () => {
      list();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('a desired state that a pool decided before its namespace was listed is not written, and the pool has to decide again', async () => {
  const { runtime, late, changed, list } = await setUp();
  expect([runtime.isListed(LATE), runtime.isListed({ namespace: 'asr' })]).toEqual([false, true]);
  runtime.apply('m', desiredWorkers([[LATE, 1]]));
  await runtime.converge('m');
  await list();
  await runtime.converge('m');
  expect([runtime.isListed(LATE), changed, late.writes]).toEqual([true, ['m'], []]);
  runtime.apply('m', desiredWorkers([[LATE, 1]]));
  await runtime.converge('m');
  expect(late.writes).toContainEqual(expect.stringMatching(/^apply Deployment/));
});

test('the removal of a deleted model waits until its namespace was listed, unless the namespace is being deleted too', async () => {
  const { runtime, late, changed, removed } = await setUp();
  late.put(TYPES.Namespace, { metadata: { name: 'late' } });
  runtime.apply('m', desiredWorkers([[LATE, 1]]));
  runtime.apply('m', desiredWorkers([]));
  await runtime.converge('m');
  expect([runtime.mayMissWorkers(LATE), changed, removed]).toEqual([true, [], []]);
  late.put(TYPES.Namespace, { metadata: { name: 'late', deletionTimestamp: '2030-01-01T00:00:00Z' } });
  await runtime.converge('m');
  expect([runtime.mayMissWorkers(LATE), changed, removed]).toEqual([false, ['m'], ['m']]);
});

test('if a model was deleted before the start of the operator, its workers keep running until their namespace is listed and the pool stops them', async () => {
  const { runtime, late, changed, removed, list } = await setUp();
  late.put(TYPES.Namespace, { metadata: { name: 'late' } });
  const pods = new TestPods(late);
  const deleted = (stop: string[]) => ({ ...desiredWorkers([]), namespace: 'late', stop: stop.map((id) => ({ id })) });
  runtime.apply('m', deleted([]));
  await runtime.converge('m');
  expect([runtime.mayMissWorkers({ model: 'm', namespace: 'late' }), changed, removed]).toEqual([true, [], []]);
  pods.add('serving', LATE.revision, {});
  await list();
  // The pool has to decide again. Until then, its worker is not stopped, because the ASRModel that is being deleted is
  // still in this namespace.
  expect(changed).toContain('m');
  expect(runtime.list('m')).toMatchObject([{ id: 'serving', stopping: false }]);
  runtime.apply('m', deleted([]));
  expect(runtime.list('m')).toMatchObject([{ id: 'serving', stopping: false }]);
  runtime.apply('m', deleted(['serving']));
  expect(runtime.list('m')).toMatchObject([{ id: 'serving', stopping: true }]);
});

test('the removal of a deleted model does not wait for a namespace that does not exist', async () => {
  const { runtime, removed } = await setUp();
  runtime.apply('m', desiredWorkers([[LATE, 1]]));
  runtime.apply('m', desiredWorkers([]));
  await runtime.converge('m');
  expect([runtime.mayMissWorkers(LATE), removed]).toEqual([false, ['m']]);
});
