import type { KubeObject } from '@svc-asr/kubernetes';
import type { EndedWorker } from '../../runtime.ts';
import { ANNOTATIONS, LABELS } from '../names.ts';
import { PodIndex } from './pod-index.ts';

interface Changes {
  revision?: string;
  restarts?: number;
  running?: boolean;
  ready?: boolean;
  phase?: string;
  selectedForRemoval?: boolean;
  unschedulable?: boolean;
  /** Grace period of a deleted pod. */
  graceSeconds?: number;
}
const object = (name: string, changes: Changes = {}): KubeObject => {
  const { revision = 'r', restarts = 0, running = true, ready = true, phase = 'Running' } = changes;
  const unplaced = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { [LABELS.model]: 'm', [LABELS.revision]: revision },
      annotations: changes.selectedForRemoval === true ? { [ANNOTATIONS.stopping]: 'x' } : {},
      ...(changes.graceSeconds !== undefined && {
        deletionTimestamp: '2026-01-01T00:00:00Z',
        deletionGracePeriodSeconds: changes.graceSeconds,
      }),
    },
    spec: { nodeName: 'n' },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False' },
        ...(changes.unschedulable === true ? [unplaced] : []),
      ],
      containerStatuses: [{ name: 'worker', ready, restartCount: restarts, state: running ? { running: {} } : {} }],
    },
  };
};

function watch() {
  let nowMs = 0;
  const ended: EndedWorker[] = [];
  const overdue: string[] = [];
  const pods = new PodIndex({
    nowMs: () => nowMs,
    overdueMs: 1000,
    onEnded: (worker) => ended.push(worker),
    onOverdue: ({ name }) => overdue.push(name),
  });
  return { pods, ended, overdue, pass: (ms: number) => (nowMs += ms) };
}

test('the pod index returns pods by model and revision', () => {
  const { pods } = watch();
  pods.update('a', object('a'));
  pods.update('b', object('b', { revision: 's' }));
  expect(pods.models()).toEqual(['m']);
  expect(pods.of('m').map(({ name }) => name)).toEqual(['a', 'b']);
  expect(pods.of('m', 's').map(({ name }) => name)).toEqual(['b']);
  expect(pods.of('other')).toEqual([]);
  pods.update('a', undefined);
  pods.update('b', undefined);
  expect(pods.models()).toEqual([]);
});

test('the pod index reports a worker as ended when its pod was deleted, has ended, or restarted its process', () => {
  const { pods, ended } = watch();
  for (const name of ['gone', 'over', 'asked', 'fell']) pods.update(name, object(name));
  pods.update('gone', undefined);
  pods.update('over', object('over', { phase: 'Failed' }));
  pods.update('asked', object('asked', { selectedForRemoval: true }));
  pods.update('asked', undefined);
  pods.update('fell', object('fell', { restarts: 1, ready: false }));
  expect(ended.map(({ id, requested }) => [id, requested])).toEqual([
    ['gone', false],
    ['over', false],
    ['asked', true],
    ['fell', false],
  ]);
  expect(pods.of('m').map(({ name }) => name)).toEqual(['fell']);
  pods.update('over', undefined);
  expect(ended).toHaveLength(4);
});

test('ageMs of a pod is the age of its process, and 0 while no process runs', () => {
  const { pods, pass } = watch();
  pods.update('a', object('a', { running: false, ready: false }));
  pass(1000);
  expect(pods.ageMs('a')).toBe(0);
  pods.update('a', object('a', { ready: false }));
  pass(500);
  expect(pods.ageMs('a')).toBe(500);
  pods.update('a', object('a', { restarts: 1, ready: false }));
  pass(100);
  expect(pods.ageMs('a')).toBe(100);
});

test('the pod index measures how long a pod has been unschedulable, and counts its crashes since it was last ready', () => {
  const { pods, pass } = watch();
  pods.update('a', object('a', { unschedulable: true, ready: false }));
  pass(700);
  pods.update('a', object('a', { unschedulable: true, ready: false }));
  expect(pods.of('m')[0]?.unschedulableMs).toBe(700);
  pods.update('a', object('a', { restarts: 2, ready: true }));
  expect(pods.of('m')[0]).toMatchObject({ unschedulableMs: 0, crashes: 0 });
  pods.update('a', object('a', { restarts: 5, ready: false }));
  expect(pods.of('m')[0]?.crashes).toBe(3);
});

test('the pod index drops a deleted pod that has not ended in time, and reports this pod only once', () => {
  const { pods, overdue, pass } = watch();
  pods.update('a', object('a'));
  pass(5000);
  pods.update('a', object('a', { graceSeconds: 3 }));
  pass(3999);
  pods.update('a', object('a', { graceSeconds: 3, ready: false }));
  expect(pods.of('m')).toMatchObject([{ name: 'a', terminating: true }]);
  pass(1);
  expect([pods.of('m'), pods.models()]).toEqual([[], []]);
  pods.update('a', object('a', { graceSeconds: 3, ready: true }));
  expect([pods.of('m'), pods.models(), overdue]).toEqual([[], [], ['a']]);
  pods.update('b', object('b'));
  expect(pods.of('m').map(({ name }) => name)).toEqual(['b']);
});
