import { TYPES } from './objects.ts';
import { buildPath } from './paths.ts';

test.each([
  [TYPES.Pod, {}, '/api/v1/namespaces/n/pods'],
  [TYPES.Tenant, { name: 'acme' }, '/apis/asr.svc.dev/v1/namespaces/n/tenants/acme'],
  [TYPES.ASRModel, { name: 'm', subresource: 'status' }, '/apis/asr.svc.dev/v1/namespaces/n/asrmodels/m/status'],
  [
    TYPES.Deployment,
    { query: { labelSelector: 'a=b,c in (d)', limit: 500, continue: undefined, force: true } },
    '/apis/apps/v1/namespaces/n/deployments?labelSelector=a%3Db%2Cc+in+%28d%29&limit=500&force=true',
  ],
])('buildPath of the type %j with the parts %j returns the expected path', (type, parts, expected) => {
  expect(buildPath(type, { namespace: 'n', ...parts })).toBe(expected);
});

test('buildPath encodes the name of an object, so that it cannot address another object', () => {
  expect(buildPath(TYPES.Pod, { namespace: 'n', name: '../secrets?x' })).toBe(
    '/api/v1/namespaces/n/pods/..%2Fsecrets%3Fx',
  );
});
