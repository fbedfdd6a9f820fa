import { mergeStatus, urgencyOf } from './change.ts';
import type { AnyStatus, StatusNews } from './change.ts';

const NOW_MS = Date.UTC(2030, 0, 1);
const ready = (message = 'the resource is applied') => ({
  type: 'Ready',
  status: 'True' as const,
  reason: 'Applied',
  message,
});
const merge = (before: AnyStatus, news: StatusNews, generation = 1) => mergeStatus(before, news, generation, NOW_MS);
const credits = (availableMs: number) => ({
  availableMs,
  reservedMs: 0,
  consumedMs: 0,
  checkpointAt: '2030-01-01T00:00:00Z',
});

test('mergeStatus keeps fields that the update does not name and removes fields set to undefined', () => {
  const before = merge(
    {},
    { fields: { revision: 'a', canary: { revision: 'b', percent: 5, since: 'x' } }, findings: [] },
  );
  expect(merge(before, { fields: { canary: undefined, replicas: 2 }, findings: [] })).toEqual({
    revision: 'a',
    replicas: 2,
    conditions: [],
  });
});

test('mergeStatus sets observedGeneration of a condition to the given generation, or to the newest generation if none is given', () => {
  expect(merge({}, { fields: {}, findings: [ready()], generation: 3 }, 4).conditions).toMatchObject([
    { observedGeneration: 3 },
  ]);
  expect(merge({}, { fields: {}, findings: [ready()] }, 4).conditions).toMatchObject([{ observedGeneration: 4 }]);
});

test('urgencyOf is "none" if nothing changed, "later" if only traffic or messages changed, and "now" otherwise', () => {
  const before = merge({}, { fields: { credits: credits(5), liveSessions: 1 }, findings: [ready()] });
  const urgency = (news: StatusNews, generation = 1) => urgencyOf('Tenant', before, merge(before, news, generation));
  expect(urgency({ fields: { credits: credits(5) }, findings: [ready()] })).toBe('none');
  expect(urgency({ fields: { credits: credits(4), liveSessions: 2 }, findings: [] })).toBe('later');
  expect(urgency({ fields: {}, findings: [ready('another message')] })).toBe('later');
  expect(urgency({ fields: { observedGeneration: 2 }, findings: [] })).toBe('now');
  expect(urgency({ fields: {}, findings: [{ ...ready(), status: 'False' }] })).toBe('now');
  expect(urgency({ fields: {}, findings: [{ ...ready(), reason: 'Other' }] })).toBe('now');
  expect(urgency({ fields: {}, findings: [ready()] }, 2)).toBe('now');
});

test('urgencyOf is "now" if the number of ready workers changes, and "later" if only their load changes', () => {
  const slots = { total: 4, active: 1, reserved: 0, waiting: 0 };
  const before = merge({}, { fields: { readyReplicas: 1, slots, sessions: '1/4' }, findings: [] });
  const after = (fields: StatusNews<'ASRModel'>['fields']) => merge(before, { fields, findings: [] });
  expect(urgencyOf('ASRModel', before, after({ slots: { ...slots, active: 2 }, sessions: '2/4' }))).toBe('later');
  expect(urgencyOf('ASRModel', before, after({ readyReplicas: 2 }))).toBe('now');
});
