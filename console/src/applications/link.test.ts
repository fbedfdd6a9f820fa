import { parseKeyring } from '@svc-asr/runtime';
import { buildApplication } from './application.ts';
import { createLink, isLinkExpired, isLinkOf, linkExpiryOf, linkIdOf, tenantOf, withoutLink } from './link.ts';
import { LINK_ANNOTATION, LINK_EXPIRY_ANNOTATION } from './link.ts';

const ring = (current: string, ...ids: string[]) => {
  const secrets = ids.map((id, at) => [id, Buffer.alloc(32, at + id.charCodeAt(1)).toString('base64')]);
  return parseKeyring(JSON.stringify({ current, secrets: Object.fromEntries(secrets) }));
};
const LATER = Date.parse('2030-01-01T00:00:00.000Z');
const application = buildApplication({ name: 'N', email: 'n@example.org', use: 'u' }, () => 1);

test('a private link is valid for its tenant, and the Tenant resource does not contain the secret of the link', () => {
  const { token, tenant } = createLink(application, ring('p1', 'p1'), LATER);
  expect(token).toMatch(/^n-111111\.[\w-]{32}$/);
  expect(tenantOf(token)).toBe('n-111111');
  expect(isLinkOf(tenant, token, ring('p1', 'p1'))).toBe(true);
  expect(JSON.stringify(tenant)).not.toContain(token.split('.')[1]);
});

test('isLinkOf rejects a changed token, a tenant without a link and a replaced link', () => {
  const peppers = ring('p1', 'p1');
  const { token, tenant } = createLink(application, peppers, LATER);
  expect(isLinkOf(tenant, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, peppers)).toBe(false);
  expect(isLinkOf(application, token, peppers)).toBe(false);
  expect(isLinkOf({ ...tenant, metadata: { name: 'n', annotations: { [LINK_ANNOTATION]: '' } } }, token, peppers)).toBe(
    false,
  );
  expect(isLinkOf(createLink(tenant, peppers, LATER).tenant, token, peppers)).toBe(false);
});

test('a private link stays valid when the current pepper changes, until its own pepper is removed', () => {
  const { token, tenant } = createLink(application, ring('p1', 'p1'), LATER);
  expect(isLinkOf(tenant, token, ring('p2', 'p1', 'p2'))).toBe(true);
  expect(isLinkOf(tenant, token, ring('p2', 'p2'))).toBe(false);
});

test('a private link expires at the time that its Tenant contains, and never if the Tenant contains no expiry', () => {
  const { tenant } = createLink(application, ring('p1', 'p1'), LATER);
  expect(linkExpiryOf(tenant)).toBe(LATER);
  expect([isLinkExpired(tenant, LATER - 1), isLinkExpired(tenant, LATER)]).toEqual([false, true]);
  expect(isLinkExpired(application, LATER)).toBe(false);
  const metadata = { name: 'n', annotations: { [LINK_EXPIRY_ANNOTATION]: 'soon' } };
  expect(isLinkExpired({ ...tenant, metadata }, 0)).toBe(true);
});

test('withoutLink revokes the private link of a tenant', () => {
  const { token, tenant } = createLink(application, ring('p1', 'p1'), LATER);
  const revoked = withoutLink(tenant);
  expect([isLinkOf(revoked, token, ring('p1', 'p1')), linkIdOf(revoked)]).toEqual([false, '']);
});

test.each([
  '',
  'acme',
  'acme.',
  '.x',
  'Acme.' + 'x'.repeat(32),
  'a/b.' + 'x'.repeat(32),
  'acme.' + 'x'.repeat(33),
  'acme.x y',
])('tenantOf returns undefined for %j', (text) => {
  expect(tenantOf(text)).toBeUndefined();
});
