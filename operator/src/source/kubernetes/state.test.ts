import { tenant } from '../../testing/resources.ts';
import type { KubeObject } from '@svc-asr/kubernetes';
import { judge } from './state.ts';

function object(generation: number, spec: object = {}, more: { metadata?: object; status?: object } = {}): KubeObject {
  const object = tenant('acme', spec) as KubeObject;
  const metadata = { ...object.metadata, uid: 'u1', generation, resourceVersion: String(generation), ...more.metadata };
  return { ...object, metadata, ...(more.status && { status: more.status }) };
}

const displayName = ({ good }: ReturnType<typeof judge>) =>
  good?.kind === 'Tenant' ? good.spec.displayName : undefined;

test('judge() accepts a valid object and fills in its defaults', () => {
  const state = judge(undefined, object(1));
  expect(state).toMatchObject({ problems: undefined, good: { spec: { state: 'Waitlisted', limits: {} } } });
});

test('judge() keeps the last valid version of an object while the object is invalid', () => {
  const first = judge(undefined, object(1, { displayName: 'one' }));
  const bad = judge(first, object(2, { displayName: 'two', limits: { concurrentSessions: 0 } }));
  expect(bad.problems).toEqual([{ field: 'spec.limits.concurrentSessions', message: expect.any(String) }]);
  expect([displayName(bad), bad.good?.metadata.generation]).toEqual(['one', 1]);
  const again = judge(bad, object(3, { displayName: 'three' }));
  expect([displayName(again), again.problems]).toEqual(['three', undefined]);
});

test('judge() returns no valid version for an object that was never valid', () => {
  expect(judge(undefined, object(1, { displayName: '' }))).toMatchObject({ good: undefined, problems: [{}] });
});

test('judge() does not keep the last valid version of a deleted object for a new object of the same name', () => {
  const first = judge(undefined, object(1));
  const recreated = judge(first, object(1, { displayName: '' }, { metadata: { uid: 'u2' } }));
  expect(recreated).toMatchObject({ good: undefined, problems: [{}] });
});

test('judge() returns no valid version for an object that is being deleted', () => {
  const first = judge(undefined, object(1));
  const metadata = { deletionTimestamp: '2030-01-01T00:00:00Z' };
  expect(judge(first, object(2, {}, { metadata }))).toMatchObject({
    deleted: true,
    good: undefined,
    problems: undefined,
  });
});

test('judge() updates metadata and status without another validation if the generation of the object is unchanged', () => {
  const first = judge(undefined, object(1));
  const status = { liveSessions: 3 };
  const next = judge(first, object(1, { displayName: '' }, { metadata: { resourceVersion: '9' }, status }));
  expect(next.good).toMatchObject({ metadata: { resourceVersion: '9' }, status, spec: { displayName: 'acme' } });
});
