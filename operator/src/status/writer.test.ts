import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { StatusNews } from './change.ts';
import { findDeletion } from './readiness.ts';
import { createStatusWriter } from './writer.ts';

const SLOW_MS = 60_000;
const news = (availableMs: number, ready: 'True' | 'False' = 'True'): StatusNews<'Tenant'> => ({
  fields: {
    observedGeneration: 1,
    credits: { availableMs, reservedMs: 0, consumedMs: 0, checkpointAt: '2030-01-01T00:00:00Z' },
  },
  findings: [{ type: 'Ready', status: ready, reason: ready === 'True' ? 'Applied' : 'ApplyFailed', message: 'words' }],
});

function setUp(refusal?: KubernetesError) {
  const clock = { nowMs: 0 };
  const state: { seen: KubeObject | undefined; stored: KubeObject } = {
    seen: undefined,
    stored: {
      apiVersion: 'asr.svc.dev/v1',
      kind: 'Tenant',
      metadata: { name: 'acme', uid: 'u', generation: 1, resourceVersion: '1' },
    },
  };
  state.seen = state.stored;
  const writes: KubeObject[] = [];
  const events: string[][] = [];
  const access = {
    api: {
      applyStatus: (_type: unknown, object: KubeObject) => {
        writes.push(object);
        if (refusal !== undefined) return Promise.reject(refusal);
        const resourceVersion = String(Number(state.stored.metadata.resourceVersion) + 1);
        const { status } = object;
        state.stored = { ...state.stored, metadata: { ...state.stored.metadata, resourceVersion }, status };
        return Promise.resolve(state.stored);
      },
    },
    events: { record: (_object: unknown, type: string, reason: string) => void events.push([type, reason]) },
  };
  const writer = createStatusWriter({
    scopeOf: () => access,
    object: () => state.seen,
    slowMs: { ASRModel: 1000, Tenant: SLOW_MS, ApiKey: SLOW_MS },
    nowMs: () => clock.nowMs,
    wallMs: () => Date.UTC(2030, 0, 1) + clock.nowMs,
  });
  return { writer, state, writes, events, clock, catchUp: () => (state.seen = state.stored) };
}

test('the status writer writes a status only once if the status does not change', async () => {
  const { writer, writes, catchUp, clock } = setUp();
  await writer.report('Tenant', 'acme', news(5), 'all');
  await writer.report('Tenant', 'acme', news(5), 'all');
  catchUp();
  clock.nowMs += 10 * SLOW_MS;
  await writer.report('Tenant', 'acme', news(5), 'all');
  expect(writes).toHaveLength(1);
  expect(writes[0]).toMatchObject({
    apiVersion: 'asr.svc.dev/v1',
    kind: 'Tenant',
    metadata: { name: 'acme', uid: 'u' },
    status: { observedGeneration: 1, credits: { availableMs: 5 }, conditions: [{ type: 'Ready', status: 'True' }] },
  });
  expect(writer.current('Tenant', 'acme').credits?.availableMs).toBe(5);
});

test('the status writer writes balances at most once per interval, and conditions at once', async () => {
  const { writer, writes, clock, catchUp } = setUp();
  await writer.report('Tenant', 'acme', news(5), 'all');
  catchUp();
  clock.nowMs = SLOW_MS - 1;
  await writer.report('Tenant', 'acme', news(4), 'all');
  expect(writes).toHaveLength(1);
  await writer.report('Tenant', 'acme', news(3, 'False'), 'all');
  expect(writes[1]?.status).toMatchObject({ credits: { availableMs: 3 }, conditions: [{ status: 'False' }] });
  catchUp();
  clock.nowMs += SLOW_MS;
  await writer.report('Tenant', 'acme', news(2, 'False'), 'all');
  expect(writes).toHaveLength(3);
});

test('with the scope urgent, the status writer writes nothing if only balances have changed', async () => {
  const { writer, writes, clock, catchUp } = setUp();
  await writer.report('Tenant', 'acme', news(5), 'urgent');
  catchUp();
  clock.nowMs += 10 * SLOW_MS;
  await writer.report('Tenant', 'acme', news(4), 'urgent');
  expect(writes).toHaveLength(1);
  await writer.report('Tenant', 'acme', news(4), 'all');
  expect(writes[1]?.status).toMatchObject({ credits: { availableMs: 4 } });
});

test('the status writer corrects a status that another client changed', async () => {
  const { writer, writes, state, catchUp } = setUp();
  await writer.report('Tenant', 'acme', news(5), 'all');
  catchUp();
  const metadata = { ...state.stored.metadata, resourceVersion: '77' };
  state.seen = { ...state.stored, metadata, status: { ...(state.stored.status as object), observedGeneration: 9 } };
  await writer.report('Tenant', 'acme', news(5), 'all');
  expect(writes[1]?.status).toMatchObject({ observedGeneration: 1 });
});

test('the status writer records changes of a condition for the worse and the better as events', async () => {
  const { writer, events } = setUp();
  await writer.report('Tenant', 'acme', news(5), 'all');
  await writer.report('Tenant', 'acme', news(5, 'False'), 'all');
  await writer.report('Tenant', 'acme', news(5, 'True'), 'all');
  expect(events).toEqual([
    ['Warning', 'ApplyFailed'],
    ['Normal', 'Applied'],
  ]);
});

test('the status writer writes nothing for an object that was deleted or is being deleted', async () => {
  const { writer, writes, state } = setUp();
  state.seen = undefined;
  await writer.report('Tenant', 'acme', news(5), 'all');
  const metadata = { ...state.stored.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' };
  state.seen = { ...state.stored, metadata };
  await writer.report('Tenant', 'acme', news(5), 'all');
  expect(writes).toEqual([]);
});

test.each([404, 409])(
  'the status writer ignores the response %i, because the object was deleted or replaced',
  async (code) => {
    const { writer, events } = setUp(new KubernetesError(code, 'x', 'x'));
    await writer.report('Tenant', 'acme', news(5, 'False'), 'all');
    expect(events).toEqual([]);
  },
);

test('report() of the status writer throws errors of the API server other than 404 and 409', async () => {
  const { writer } = setUp(new KubernetesError(422, 'Invalid', 'x'));
  await expect(writer.report('Tenant', 'acme', news(5), 'all')).rejects.toMatchObject({ status: 422 });
});

test('for an object that is being deleted, the status writer writes only the reason why the deletion is delayed, and records an event', async () => {
  const { writer, state, writes, events, catchUp } = setUp();
  await writer.report('Tenant', 'acme', news(5, 'False'), 'all');
  catchUp();
  state.seen = { ...state.seen!, metadata: { ...state.seen!.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
  state.stored = state.seen;
  await writer.report('Tenant', 'acme', news(6), 'all');
  expect(writes).toHaveLength(1);
  const waits = { fields: {}, findings: [findDeletion('the ledger is missing')], deleting: true as const };
  for (let times = 0; times < 3; times++) {
    await writer.report('Tenant', 'acme', waits, 'all');
    catchUp();
  }
  expect(writes).toHaveLength(2);
  expect(events.at(-1)).toEqual(['Warning', 'DeletionWaits']);
  expect(events).toHaveLength(2);
});

test('the status writer ignores an update about a deletion of a resource that is not being deleted', async () => {
  const { writer, writes } = setUp();
  await writer.report('Tenant', 'acme', { fields: {}, findings: [findDeletion('why')], deleting: true }, 'all');
  expect(writes).toEqual([]);
});

test('forgetPast makes the status writer forget what it wrote to an object that was deleted', async () => {
  const { writer, state } = setUp();
  await writer.report('Tenant', 'acme', news(5), 'all');
  expect(writer.current('Tenant', 'acme')).toMatchObject({ observedGeneration: 1 });
  const { seen } = state;
  state.seen = undefined;
  writer.forgetPast();
  // The object exists again, in its old version. Without forgetPast, the result of the last write would count as newer.
  state.seen = seen;
  expect(writer.current('Tenant', 'acme')).toEqual({});
});

test('forgetPast does not forget a status write before the watch event of that write has arrived', async () => {
  const { writer, writes, state, catchUp } = setUp();
  const { seen } = state;
  await writer.report('Tenant', 'acme', news(5), 'all');
  writer.forgetPast();
  expect(writer.current('Tenant', 'acme')).toMatchObject({ observedGeneration: 1 });
  await writer.report('Tenant', 'acme', news(5), 'all');
  expect(writes).toHaveLength(1);
  catchUp();
  writer.forgetPast();
  state.seen = seen;
  expect(writer.current('Tenant', 'acme')).toEqual({});
});

test('after forgetPast, the status writer still writes a changed balance only when the interval for balances has passed', async () => {
  const { writer, writes, clock, catchUp } = setUp();
  await writer.report('Tenant', 'acme', news(5), 'all');
  catchUp();
  clock.nowMs = SLOW_MS - 1;
  writer.forgetPast();
  await writer.report('Tenant', 'acme', news(4), 'all');
  expect(writes).toHaveLength(1);
  clock.nowMs = SLOW_MS;
  writer.forgetPast();
  await writer.report('Tenant', 'acme', news(4), 'all');
  expect(writes).toHaveLength(2);
});
