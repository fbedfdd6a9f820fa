import { judge, parseKubeLinter, parseKubeScore } from './findings.ts';
import type { Finding } from './findings.ts';

const SCORED = [
  {
    type_meta: { kind: 'Deployment' },
    object_meta: { name: 'svc-asr-gateway' },
    checks: [
      { check: { id: 'passed' }, grade: 10, skipped: false, comments: null },
      { check: { id: 'left-out' }, grade: 0, skipped: true, comments: [{ path: '', summary: 'skipped' }] },
      { check: { id: 'limits' }, grade: 1, skipped: false, comments: [{ path: 'gateway', summary: 'no CPU limit' }] },
      { check: { id: 'replicas' }, grade: 5, skipped: false, comments: [{ path: '', summary: 'few replicas' }] },
    ],
  },
];
const finding: Finding = { linter: 'kube-score', check: 'limits', object: 'Deployment a', message: 'no CPU limit' };
const exception = { linter: 'kube-score', check: 'limits', where: /Deployment a: no CPU/, reason: 'none' } as const;

test('parseKubeScore returns warnings and errors, but no passed or skipped checks', () => {
  expect(parseKubeScore(JSON.stringify(SCORED))).toEqual([
    { linter: 'kube-score', check: 'limits', object: 'Deployment svc-asr-gateway', message: 'gateway: no CPU limit' },
    { linter: 'kube-score', check: 'replicas', object: 'Deployment svc-asr-gateway', message: 'few replicas' },
  ]);
});

test('parseKubeLinter returns no finding for a report without entries', () => {
  expect(parseKubeLinter('{"Reports": null}')).toEqual([]);
});

test('judge() reports a finding unless an exception matches its check and its object', () => {
  const other = { ...finding, object: 'Deployment b' };
  expect(judge([finding, other], [exception])).toEqual({ open: [other], unused: [] });
  expect(judge([{ ...finding, linter: 'kube-linter' }], []).open).toHaveLength(1);
});

test('judge() reports an exception that matches no finding', () => {
  expect(judge([], [exception])).toEqual({ open: [], unused: [exception] });
});
