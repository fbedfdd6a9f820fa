import { buildTenant } from './tenant.ts';
import { creditRequestOf, withCreditRequest } from './credit-request.ts';

const REQUEST = { at: '2026-01-01T00:00:00.000Z', message: 'A month of radio', audio_seconds: 3600 };
const tenant = buildTenant('acme', { displayName: 'Acme', grants: [{ id: 'welcome', audioSeconds: 60 }] });

test('a request for credit is pending until the next grant', () => {
  expect(creditRequestOf(tenant)).toBeNull();
  const asked = withCreditRequest(tenant, REQUEST);
  expect(creditRequestOf(asked)).toEqual(REQUEST);
  const grants = [...asked.spec.grants, { id: 'more', audioSeconds: 60 }];
  expect(creditRequestOf({ ...asked, spec: { ...asked.spec, grants } })).toBeNull();
});

test('a request for credit stays pending after a negative grant and after a grant of 0 seconds', () => {
  const asked = withCreditRequest(tenant, REQUEST);
  const grants = [...asked.spec.grants, { id: 'correction', audioSeconds: -10 }, { id: 'nothing', audioSeconds: 0 }];
  expect(creditRequestOf({ ...asked, spec: { ...asked.spec, grants } })).toEqual(REQUEST);
});

test('a further request for credit replaces the earlier request', () => {
  const second = { at: '2026-01-02T00:00:00.000Z', message: 'Two months', audio_seconds: null };
  expect(creditRequestOf(withCreditRequest(withCreditRequest(tenant, REQUEST), second))).toEqual(second);
});

test.each(['', 'x', 'null', '{}', '{"at":"x","message":"m","grants":1}'])(
  'an annotation that contains %j is no request for credit',
  (text) => {
    const metadata = { ...tenant.metadata, annotations: { 'asr.svc.dev/credit-request': text } };
    expect(creditRequestOf({ ...tenant, metadata })).toBeNull();
  },
);
