import type { Condition } from '@svc-asr/core';
import { findTransitions, formatTime, isBad, mergeConditions } from './conditions.ts';
import type { Finding } from './conditions.ts';

const T1 = Date.UTC(2030, 0, 1);
const T2 = T1 + 60_000;
const finding = (type: string, status: Finding['status'], reason = 'Because', message = 'a message'): Finding => ({
  type,
  status,
  reason,
  message,
});

test('mergeConditions changes the transition time of a condition only if the status of the condition changes', () => {
  const first = mergeConditions([], [finding('Ready', 'False', 'InvalidSpec')], 1, T1);
  const second = mergeConditions(first, [finding('Ready', 'False', 'ApplyFailed', 'another message')], 2, T2);
  expect(second).toEqual([
    {
      type: 'Ready',
      status: 'False',
      reason: 'ApplyFailed',
      message: 'another message',
      observedGeneration: 2,
      lastTransitionTime: formatTime(T1),
    },
  ]);
  const third = mergeConditions(second, [finding('Ready', 'True')], 2, T2);
  expect(third[0]?.lastTransitionTime).toBe(formatTime(T2));
});

test('mergeConditions also returns conditions without an update, sorts all conditions in a fixed order, and omits conditions of other managers', () => {
  const known = mergeConditions([], [finding('ScalingLimited', 'False'), finding('Available', 'True')], 1, T1);
  const unmanaged: Condition = { ...known[0]!, type: 'example.com/Audited' };
  const merged = mergeConditions([unmanaged, ...known], [finding('Ready', 'True')], 1, T2);
  expect(merged.map(({ type }) => type)).toEqual(['Ready', 'Available', 'ScalingLimited']);
});

test('mergeConditions uses the last of several findings with the same type', () => {
  const merged = mergeConditions([], [finding('Ready', 'True'), finding('Ready', 'False', 'TenantMissing')], 1, T1);
  expect(merged).toMatchObject([{ type: 'Ready', status: 'False', reason: 'TenantMissing' }]);
});

test('mergeConditions truncates and redacts messages', () => {
  const message = `redis://operator:hunter2@host ${'x'.repeat(5000)}`;
  const [condition] = mergeConditions([], [finding('Ready', 'False', 'ApplyFailed', message)], 1, T1);
  expect(condition?.message).toHaveLength(1024);
  expect(condition?.message).not.toContain('hunter2');
});

test.each([
  ['Ready', 'False', true],
  ['Ready', 'True', false],
  ['ArtifactReady', 'Unknown', false],
  ['Degraded', 'True', true],
  ['LoadUnknown', 'False', false],
  ['Progressing', 'True', false],
] as const)('isBad of %s=%s is %s', (type, status, expected) => {
  expect(isBad({ type, status })).toBe(expected);
});

test('findTransitions reports changes for the worse and for the better, but not an initial good state', () => {
  const before = mergeConditions([], [finding('Ready', 'True'), finding('Degraded', 'True')], 1, T1);
  const changes = [finding('Ready', 'False'), finding('Degraded', 'False'), finding('Progressing', 'True')];
  const after = mergeConditions(
    before,
    [...changes, finding('Available', 'True'), finding('LoadUnknown', 'True')],
    1,
    T2,
  );
  expect(findTransitions(before, after).map(({ type }) => type)).toEqual(['Ready', 'Degraded', 'LoadUnknown']);
});

test('findTransitions reports a rollback of a model that was degraded before', () => {
  const before = mergeConditions([], [finding('Degraded', 'True', 'ImagePullFailed')], 1, T1);
  const after = mergeConditions(before, [finding('Degraded', 'True', 'RolledBack')], 1, T2);
  expect(findTransitions(before, after)).toMatchObject([{ reason: 'RolledBack' }]);
  expect(findTransitions(after, after)).toEqual([]);
});
