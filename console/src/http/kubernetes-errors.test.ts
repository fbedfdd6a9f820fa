import { KubernetesError } from '@svc-asr/kubernetes';
import { explainKubernetesError } from './kubernetes-errors.ts';

const explain = (...[status, reason, options]: [number, string, { retryAfterMs?: number; serverMessage?: string }?]) =>
  explainKubernetesError(new KubernetesError(status, reason, `create tenants: ${reason}`, options));

test.each([
  [0, 'ECONNREFUSED', 503, 'service_unavailable'],
  [401, 'Unauthorized', 503, 'service_unavailable'],
  [404, 'UnknownType', 503, 'service_unavailable'],
  [429, 'TooManyRequests', 503, 'service_unavailable'],
  [503, 'ServiceUnavailable', 503, 'service_unavailable'],
  [400, 'BadRequest', 400, 'invalid_parameters'],
  [422, 'Invalid', 400, 'invalid_parameters'],
  [403, 'Forbidden', 403, 'cluster_refused'],
  [404, 'NotFound', 409, 'write_conflict'],
  [409, 'Conflict', 409, 'write_conflict'],
  [413, 'RequestEntityTooLarge', 413, 'request_too_large'],
  [415, 'UnsupportedMediaType', 500, 'internal_error'],
])('Kubernetes API error %i %s is reported as %i %s', (code, reason, status, answered) => {
  expect(explain(code, reason)).toMatchObject({ status, code: answered });
});

test('an unavailable Kubernetes API is reported with Retry-After, and with a warning if the write may have been executed', () => {
  expect(explain(429, 'TooManyRequests', { retryAfterMs: 6500 }).headers).toEqual({ 'Retry-After': '7' });
  const unavailable = explain(0, 'ECONNRESET');
  expect(unavailable.headers).toEqual({ 'Retry-After': '2' });
  expect(unavailable.message).toContain('may have been executed');
});

test('if the API server rejects a field, the error names the field in the format that the console uses for its own validation errors', () => {
  const causes = [
    { field: 'spec.grants[0].audioSeconds', message: 'a grant cannot be changed' },
    { field: '', message: 'and more' },
  ];
  const error = explainKubernetesError(new KubernetesError(422, 'Invalid', 'replace tenants acme: …', { causes }));
  expect(error.message).toBe('grants[0].audioSeconds: a grant cannot be changed; and more.');
});

test('a request that a cluster policy denies is reported with the message of the policy', () => {
  const serverMessage = 'admission webhook "policy" denied the request: no tenants on Sundays';
  expect(explain(403, 'Forbidden', { serverMessage }).message).toBe(
    `The cluster rejected the request: ${serverMessage}`,
  );
});
