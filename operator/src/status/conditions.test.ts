import type { Condition } from '@svc-asr/core';
import { findTransitions, formatTime, isBad, mergeConditions } from './conditions.ts';
import type { Finding } from './conditions.ts';

const T1 = Date.UTC(2030, 0, 1);
const T2 = T1 + 60_000;
const finding = (type: string, status: Finding['status'], reason = 'Because', message = 'words'): Finding => ({
  type,
  status,
  reason,
  message,
});

test('the time of a condition changes with its status alone', () => {
  const first = mergeConditions([], [finding('Ready', 'False', 'InvalidSpec')], 1, T1);
  const second = mergeConditions(first, [finding('Ready', 'False', 'ApplyFailed', 'other words')], 2, T2);
  expect(second).toEqual([
    {
      type: 'Ready',
      status: 'False',
      reason: 'ApplyFailed',
      message: 'other words',
      observedGeneration: 2,
      lastTransitionTime: formatTime(T1),
    },
  ]);
  const third = mergeConditions(second, [finding('Ready', 'True')], 2, T2);
  expect(third[0]?.lastTransitionTime).toBe(formatTime(T2));
});

test('conditions that were not looked at stay, in one order, and those of others are none of ours', () => {
  const known = mergeConditions([], [finding('ScalingLimited', 'False'), finding('Available', 'True')], 1, T1);
  const foreign: Condition = { ...known[0]!, type: 'example.com/Audited' };
  const merged = mergeConditions([foreign, ...known], [finding('Ready', 'True')], 1, T2);
  expect(merged.map(({ type }) => type)).toEqual(['Ready', 'Available', 'ScalingLimited']);
});

test('what comes last of one type holds', () => {
  const merged = mergeConditions([], [finding('Ready', 'True'), finding('Ready', 'False', 'TenantMissing')], 1, T1);
  expect(merged).toMatchObject([{ type: 'Ready', status: 'False', reason: 'TenantMissing' }]);
});

test('messages are short and hold no secret', () => {
  const words = `redis://operator:hunter2@host ${'x'.repeat(5000)}`;
  const [condition] = mergeConditions([], [finding('Ready', 'False', 'ApplyFailed', words)], 1, T1);
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
] as const)('%s=%s is bad news: %s', (type, status, expected) => {
  expect(isBad({ type, status })).toBe(expected);
});

test('news are what changed for the worse or for the better, not what is well from the start', () => {
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
