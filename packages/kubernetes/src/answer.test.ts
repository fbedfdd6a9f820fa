import { buildKubernetesError, buildWatchError, parseRetryAfter } from './answer.ts';

const NOW_MS = Date.UTC(2030, 0, 1);
const status = (fields: object) => JSON.stringify({ kind: 'Status', apiVersion: 'v1', ...fields });

test.each([
  ['3', 3000],
  ['0', 0],
  ['Tue, 01 Jan 2030 00:00:07 GMT', 7000],
  ['Mon, 31 Dec 2029 23:59:00 GMT', 0],
  ['', undefined],
  ['soon', undefined],
  [undefined, undefined],
])('parseRetryAfter converts the header %j to %j ms', (text, expected) => {
  expect(parseRetryAfter(text, NOW_MS)).toBe(expected);
});

test('buildKubernetesError returns an error with the fields of the Status object', () => {
  const text = status({ reason: 'Conflict', message: 'the object has been modified', code: 409 });
  const error = buildKubernetesError('replace leases x', { status: 409, retryAfter: undefined, text }, NOW_MS);
  expect(error).toMatchObject({ status: 409, reason: 'Conflict', retryAfterMs: undefined });
  expect(error.message).toBe('replace leases x: the object has been modified (409 Conflict)');
});

test('buildKubernetesError quotes the start of a response that is not a Status object', () => {
  const error = buildKubernetesError(
    'get pods x',
    { status: 502, retryAfter: '2', text: `bad ${'x'.repeat(999)}` },
    NOW_MS,
  );
  expect(error).toMatchObject({ status: 502, reason: 'Http502', retryAfterMs: 2000 });
  expect(error.message.length).toBeLessThan(300);
});

test('buildKubernetesError distinguishes an unknown type, whose CRD is missing, from a missing object', () => {
  const unknown = buildKubernetesError(
    'list tenants',
    { status: 404, retryAfter: undefined, text: '404 page not found' },
    0,
  );
  expect(unknown).toMatchObject({ status: 404, reason: 'UnknownType' });
  expect(unknown.message).toContain('install the CRDs');
  const missing = { status: 404, retryAfter: undefined, text: status({ reason: 'NotFound', message: 'not found' }) };
  expect(buildKubernetesError('get tenants x', missing, 0).reason).toBe('NotFound');
});

test.each([
  [{ code: 410, reason: 'Expired', message: 'too old resource version' }, 410, 'Expired'],
  [{}, 500, 'Http500'],
  [undefined, 500, 'Http500'],
])('buildWatchError converts %j to an error with the status %s and the reason %s', (object, code, reason) => {
  expect(buildWatchError('watch pods', object)).toMatchObject({ status: code, reason });
});
