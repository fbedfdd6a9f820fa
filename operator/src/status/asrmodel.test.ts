import type { PoolStatus } from '../workers/pool/status.ts';
import { buildModelFields, findModelConditions } from './asrmodel.ts';

const NOW_MS = Date.UTC(2030, 0, 1);
const pool = (changes: Partial<PoolStatus> = {}): PoolStatus => ({
  model: 'kikuyu',
  desired: 2,
  running: 2,
  ready: 2,
  slots: { total: 8, active: 3, reserved: 1, waiting: 0 },
  slotsPerWorker: 4,
  measuredSlots: [{ revision: 'abc', slots: 4 }],
  revision: 'abc',
  rollout: undefined,
  reasons: [],
  startFailure: undefined,
  pending: undefined,
  failingNodes: [],
  ...changes,
});
const conditions = (changes: Partial<PoolStatus> = {}) =>
  Object.fromEntries(
    findModelConditions(pool(changes)).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );

test('buildModelFields reports workers, slots and revision, and the fields that the scale subresource needs', () => {
  expect(buildModelFields(pool(), {}, NOW_MS)).toEqual({
    replicas: 2,
    readyReplicas: 2,
    workers: '2/2',
    selector: 'asr.svc.dev/model=kikuyu',
    slots: { total: 8, active: 3, reserved: 1, waiting: 0 },
    sessions: '3/8',
    slotsPerWorker: 4,
    measuredSlots: [{ revision: 'abc', slots: 4 }],
    revision: 'abc',
    canary: undefined,
    failingNodes: undefined,
  });
  expect(buildModelFields(pool({ failingNodes: ['n'] }), {}, NOW_MS)).toMatchObject({ failingNodes: ['n'] });
});

test('buildModelFields leaves out fields whose value is unknown, so that they keep their last value', () => {
  const fields = buildModelFields(
    pool({ slots: undefined, slotsPerWorker: undefined, measuredSlots: [], revision: undefined }),
    {},
    NOW_MS,
  );
  expect(Object.keys(fields)).toEqual([
    'replicas',
    'readyReplicas',
    'workers',
    'selector',
    'failingNodes',
    'pools',
    'tiers',
    'canary',
  ]);
});

test('buildModelFields keeps the time at which a canary started', () => {
  const rollout = { phase: 'Canary', revision: 'new', stable: 'abc', percent: 10, message: 'x' } as const;
  const first = buildModelFields(pool({ rollout }), {}, NOW_MS);
  expect(first.canary).toEqual({ revision: 'new', percent: 10, since: '2030-01-01T00:00:00Z' });
  const later = buildModelFields(pool({ rollout: { ...rollout, percent: 20 } }), first as object, NOW_MS + 60_000);
  expect(later.canary).toEqual({ revision: 'new', percent: 20, since: '2030-01-01T00:00:00Z' });
});

test('findModelConditions reports a steady pool as available, not progressing and not degraded', () => {
  expect(conditions()).toEqual({
    Available: 'True WorkersReady',
    Progressing: 'False Settled',
    Degraded: 'False AsExpected',
    ArtifactReady: 'True Loaded',
    ScalingLimited: 'False WithinLimits',
    LoadUnknown: 'False LoadKnown',
  });
});

test('the condition Progressing reports what new workers wait for while the pool has fewer ready workers than it needs', () => {
  const pending = { reason: 'Unschedulable', message: 'pod p cannot be scheduled to a node: 0/3 nodes have a GPU' };
  const found = findModelConditions(pool({ running: 2, ready: 1, pending }));
  expect(found.find(({ type }) => type === 'Progressing')).toMatchObject({
    status: 'True',
    reason: 'Provisioning',
    message: pending.message,
  });
});

const startFailure = { reason: 'ImagePullFailed', message: 'the image cannot be pulled' };
test.each<[string, Partial<PoolStatus>, Record<string, string>]>([
  ['that is scaled to zero', { desired: 0, running: 0, ready: 0 }, { Available: 'True ScaledToZero' }],
  ['that is starting', { running: 1, ready: 0 }, { Available: 'False Starting', Progressing: 'True Scaling' }],
  ['that is shrinking', { desired: 1 }, { Available: 'True WorkersReady', Progressing: 'True Scaling' }],
  [
    'whose workers cannot start',
    { running: 1, ready: 0, startFailure },
    { Available: 'False ImagePullFailed', Degraded: 'True ImagePullFailed', ArtifactReady: 'Unknown NotLoaded' },
  ],
  [
    'whose additional workers cannot start',
    { ready: 1, startFailure },
    { Available: 'True WorkersReady', Degraded: 'True ImagePullFailed' },
  ],
  [
    'whose artifact cannot be downloaded',
    { ready: 0, startFailure: { reason: 'ArtifactFailed', message: 'x' } },
    { ArtifactReady: 'False ArtifactFailed' },
  ],
  [
    'that needs more workers than its maximum',
    { reasons: [{ reason: 'ScalingLimited', message: 'scaling.max is 2' }] },
    { ScalingLimited: 'True ScalingLimited' },
  ],
  [
    'whose load is unknown',
    { reasons: [{ reason: 'LoadUnknown', message: 'x' }] },
    { LoadUnknown: 'True LoadUnknown' },
  ],
  [
    'that is rolling out',
    { rollout: { phase: 'Rolling', revision: 'b', stable: 'a', percent: 100, message: 'x' } },
    { Progressing: 'True Rolling' },
  ],
  [
    'that was rolled back',
    { rollout: { phase: 'RolledBack', revision: 'a', stable: undefined, percent: 100, message: 'x' } },
    { Degraded: 'True RolledBack', Progressing: 'False Settled' },
  ],
])('findModelConditions reports the conditions of a pool %s', (_, changes, expected) => {
  expect(conditions(changes)).toMatchObject(expected);
});
