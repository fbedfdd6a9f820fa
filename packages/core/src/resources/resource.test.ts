import { describeProblems } from '../validate.ts';
import { checkResource, resourceKey } from './resource.ts';

const base = { apiVersion: 'asr.svc.dev/v1' };
const model = (spec: object) => ({
  ...base,
  kind: 'ASRModel',
  metadata: { name: 'svc-asr-kikuyu-v1' },
  spec: { language: 'Kikuyu', languageCode: 'ki', artifact: { path: '/models/x' }, ...spec },
});
const tenant = (spec: object) => ({
  ...base,
  kind: 'Tenant',
  metadata: { name: 'acme' },
  spec: { displayName: 'Acme', ...spec },
});

function problem(value: unknown): string {
  const checked = checkResource(value);
  return checked.ok ? 'ok' : describeProblems(checked.problems);
}

test('checkResource adds the documented defaults to a minimal model', () => {
  const checked = checkResource(model({}));
  expect(checked).toMatchObject({
    ok: true,
    value: {
      spec: {
        maxAudioSeconds: 300,
        worker: { provider: 'cpu', slots: 0 },
        scaling: { mode: 'Sessions', min: 0, scaleDownDelaySeconds: 300, idleToZeroSeconds: 600, maxWaitSeconds: 120 },
        drainSeconds: 330,
        rollout: { canaryPercent: 0, windowSeconds: 300, maxSurge: '25%', maxUnavailable: 0, startSeconds: 1200 },
      },
    },
  });
});

test('checkResource limits a tenant to one concurrent session by default', () => {
  const checked = checkResource(tenant({ state: 'Active' }));
  expect(checked).toMatchObject({
    ok: true,
    value: {
      spec: { models: ['*'], limits: { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 600 } },
    },
  });
});

test.each([
  [null, 'apiVersion: must be asr.svc.dev/v1'],
  [{ ...base, kind: 'Pod' }, 'kind: must be one of ASRModel, Tenant, ApiKey, Member'],
  [{ ...base, kind: 'toString' }, 'kind: must be one of ASRModel, Tenant, ApiKey, Member'],
  [{ ...tenant({}), metadata: { name: 'Bad_Name' } }, /^metadata.name: must match pattern/],
  [{ ...tenant({}), metadata: { name: 'x'.repeat(64) } }, /^metadata.name: must not have more than 63/],
  [tenant({ state: 'active' }), 'spec.state: must be one of Waitlisted, Active, Suspended, Declined'],
  [tenant({ limits: { concurrentSessions: 0 } }), 'spec.limits.concurrentSessions: must be at least 1'],
  [tenant({ grant: [] }), 'spec.grant: is not a known field'],
  [
    tenant({
      grants: [
        { id: 'a', audioSeconds: 1 },
        { id: 'a', audioSeconds: 2 },
      ],
    }),
    'spec.grants: has the id "a" twice',
  ],
  [model({ scaling: { min: 3, max: 2 } }), 'spec.scaling.min: must not be greater than spec.scaling.max (2)'],
  [model({ maxAudioSeconds: 60 }), 'spec.maxAudioSeconds: must be 300: leave it out'],
  [model({ drainSeconds: 329 }), 'spec.drainSeconds: must be at least 330'],
  [model({ drainSeconds: 330 }), 'ok'],
  [model({ hostedBy: 'other', worker: { slots: 5 }, scaling: { maxWaitSeconds: 5 } }), 'ok'],
  [model({ hostedBy: 'svc-asr-kikuyu-v1' }), 'spec.hostedBy: must name another model'],
  [
    model({ hostedBy: 'other', worker: { accelerator: {} } }),
    'spec.worker.accelerator: must not be set with hostedBy: the host sets it',
  ],
  [
    model({ artifact: { path: '/a', image: 'b' } }),
    'spec.artifact: must have exactly one of path, persistentVolumeClaim, image, url',
  ],
  [model({ artifact: {} }), 'spec.artifact: must have exactly one of path, persistentVolumeClaim, image, url'],
  [model({ artifact: { url: 'https://a/b' } }), /^spec.artifact.sha256: is required with url/],
  [model({ artifact: { path: '/a', cache: { claimName: 'c' } } }), 'spec.artifact.cache: is only for url: remove it'],
  [model({ artifact: { url: 'https://user:word@a/b', sha256: 'a'.repeat(64) } }), /^spec.artifact.url: must match/],
  [model({ scaling: { replicas: 1 } }), 'ok'],
  [model({ worker: { env: [{ name: 'A' }, { name: 'A' }] } }), 'spec.worker.env: has the name "A" twice'],
  [model({ worker: { resources: { limits: { cpu: 0.5 } } } }), /^spec.worker.resources.limits.cpu/],
  [model({ worker: { resources: { limits: { cpu: '500m', memory: '4Gi' } } } }), 'ok'],
])('checkResource accepts a valid resource, or reports which field is wrong: %j', (value, expected) => {
  if (typeof expected === 'string') expect(problem(value)).toBe(expected);
  else expect(problem(value)).toMatch(expected);
});

test('checkResource keeps a status unchanged, whatever it contains', () => {
  const status = { liveSessions: 'many', fieldOfAnotherVersion: [1] };
  expect(checkResource({ ...tenant({}), status })).toMatchObject({ ok: true, value: { status } });
  const checked = checkResource(tenant({}));
  expect(checked.ok && 'status' in checked.value).toBe(false);
});

test('checkResource requires the name of an ApiKey to be its key id in lower case', () => {
  const spec = { tenant: 'acme', keyId: '8fK2pQ9xLm', hash: 'a'.repeat(64), pepperId: 'p1', lastFour: 'x7Qa' };
  const key = { ...base, kind: 'ApiKey', metadata: { name: '8fk2pq9xlm' }, spec };
  const checked = checkResource(key);
  expect(checked.ok && resourceKey(checked.value)).toBe('ApiKey/8fk2pq9xlm');
  expect(problem({ ...key, metadata: { name: 'other' } })).toBe(
    'metadata.name: must be the key id in lower case ("8fk2pq9xlm")',
  );
});

test.each([
  [{}, undefined],
  [{ scopes: ['sessions:create', 'usage:read'], models: ['m'] }, undefined],
  [{ scopes: ['usage:write'] }, 'spec.scopes.0: must be one of sessions:create, usage:read'],
  [{ scopes: [] }, expect.stringMatching(/^spec.scopes: must not have fewer than 1 items/)],
  [{ models: [] }, expect.stringMatching(/^spec.models: must not have fewer than 1 items/)],
  [{ models: ['*'] }, expect.stringMatching(/^spec.models.0: must match pattern/)],
])('checkResource accepts valid and reports invalid scopes and models of an ApiKey: %j', (limits, expected) => {
  const spec = { tenant: 'acme', keyId: '8fK2pQ9xLm', hash: 'a'.repeat(64), pepperId: 'p1', lastFour: 'x7Qa' };
  const checked = checkResource({
    ...base,
    kind: 'ApiKey',
    metadata: { name: '8fk2pq9xlm' },
    spec: { ...spec, ...limits },
  });
  expect(checked.ok ? undefined : describeProblems(checked.problems)).toEqual(expected);
});

test.each([
  ['2030-01-01T02:00:00+02:00', true],
  ['2030-01-01T00:00:00.123Z', true],
  [null, true],
  ['2030-06-30T23:59:60Z', false],
  ['2030-02-29T00:00:00Z', false],
  ['2030-01-01T00:00:00Z[Africa/Nairobi]', false],
  ['2030-01-01', false],
  ['0030-01-01T00:00:00Z', false],
])('checkResource accepts an ApiKey only if its expiry is valid (%s is valid: %s)', (expiresAt, ok) => {
  const spec = {
    tenant: 'acme',
    keyId: 'abcdefghij',
    hash: 'a'.repeat(64),
    pepperId: 'p1',
    lastFour: 'x7Qa',
    expiresAt,
  };
  expect(checkResource({ ...base, kind: 'ApiKey', metadata: { name: 'abcdefghij' }, spec }).ok).toBe(ok);
});
