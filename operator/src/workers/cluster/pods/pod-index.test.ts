import type { KubeObject } from '@svc-asr/kubernetes';
import type { EndedWorker } from '../../runtime.ts';
import { ANNOTATIONS, LABELS } from '../names.ts';
import { createPods } from './pod-index.ts';

interface Changes {
  revision?: string;
  restarts?: number;
  running?: boolean;
  ready?: boolean;
  phase?: string;
  condemned?: boolean;
  unschedulable?: boolean;
  /** It was deleted and has so long to end. */
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
      annotations: changes.condemned === true ? { [ANNOTATIONS.stopping]: 'x' } : {},
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
  const pods = createPods({
    nowMs: () => nowMs,
    overdueMs: 1000,
    onEnded: (worker) => ended.push(worker),
    onOverdue: ({ name }) => overdue.push(name),
  });
  return { pods, ended, overdue, pass: (ms: number) => (nowMs += ms) };
}

test('knows the pods of each model and revision', () => {
  const { pods } = watch();
  pods.look('a', object('a'));
  pods.look('b', object('b', { revision: 's' }));
  expect(pods.models()).toEqual(['m']);
  expect(pods.of('m').map(({ name }) => name)).toEqual(['a', 'b']);
  expect(pods.of('m', 's').map(({ name }) => name)).toEqual(['b']);
  expect(pods.of('other')).toEqual([]);
  pods.look('a', undefined);
  pods.look('b', undefined);
  expect(pods.models()).toEqual([]);
});

test('tells of each worker that ended: its pod is gone or over, or its process was started anew', () => {
  const { pods, ended } = watch();
  for (const name of ['gone', 'over', 'asked', 'fell']) pods.look(name, object(name));
  pods.look('gone', undefined);
  pods.look('over', object('over', { phase: 'Failed' }));
  pods.look('asked', object('asked', { condemned: true }));
  pods.look('asked', undefined);
  pods.look('fell', object('fell', { restarts: 1, ready: false }));
  expect(ended.map(({ id, asked }) => [id, asked])).toEqual([
    ['gone', false],
    ['over', false],
    ['asked', true],
    ['fell', false],
  ]);
  expect(pods.of('m').map(({ name }) => name)).toEqual(['fell']);
  pods.look('over', undefined);
  expect(ended).toHaveLength(4);
});

test('a worker is as old as its process, and a pod that waits is not old', () => {
  const { pods, pass } = watch();
  pods.look('a', object('a', { running: false, ready: false }));
  pass(1000);
  expect(pods.ageMs('a')).toBe(0);
  pods.look('a', object('a', { ready: false }));
  pass(500);
  expect(pods.ageMs('a')).toBe(500);
  pods.look('a', object('a', { restarts: 1, ready: false }));
  pass(100);
  expect(pods.ageMs('a')).toBe(100);
});

test('knows for how long a pod waits for a node, and how often it fell since it was well', () => {
  const { pods, pass } = watch();
  pods.look('a', object('a', { unschedulable: true, ready: false }));
  pass(700);
  pods.look('a', object('a', { unschedulable: true, ready: false }));
  expect(pods.of('m')[0]?.unschedulableMs).toBe(700);
  pods.look('a', object('a', { restarts: 2, ready: true }));
  expect(pods.of('m')[0]).toMatchObject({ unschedulableMs: 0, falls: 0 });
  pods.look('a', object('a', { restarts: 5, ready: false }));
  expect(pods.of('m')[0]?.falls).toBe(3);
});

test('waits for a pod that was deleted as long as it has to end and a while longer, and says once that it does not', () => {
  const { pods, overdue, pass } = watch();
  pods.look('a', object('a'));
  pass(5000);
  pods.look('a', object('a', { graceSeconds: 3 }));
  pass(3999);
  pods.look('a', object('a', { graceSeconds: 3, ready: false }));
  expect(pods.of('m')).toMatchObject([{ name: 'a', terminating: true }]);
  pass(1);
  expect([pods.of('m'), pods.models()]).toEqual([[], []]);
  pods.look('a', object('a', { graceSeconds: 3, ready: true }));
  expect([pods.of('m'), pods.models(), overdue]).toEqual([[], [], ['a']]);
  pods.look('b', object('b'));
  expect(pods.of('m').map(({ name }) => name)).toEqual(['b']);
});
