import { parseKeyring } from '@svc-asr/runtime';
import { buildApplication } from './application.ts';
import { createLink, isLinkOf, LINK_ANNOTATION, tenantOf } from './link.ts';

const ring = (current: string, ...ids: string[]) => {
  const secrets = ids.map((id, at) => [id, Buffer.alloc(32, at + id.charCodeAt(1)).toString('base64')]);
  return parseKeyring(JSON.stringify({ current, secrets: Object.fromEntries(secrets) }));
};
const application = buildApplication({ name: 'N', email: 'n@example.org', use: 'u' }, () => 1);

test('a private link is valid for its tenant, and the tenant does not contain its secret', () => {
  const { token, tenant } = createLink(application, ring('p1', 'p1'));
  expect(token).toMatch(/^n-111111\.[\w-]{32}$/);
  expect(tenantOf(token)).toBe('n-111111');
  expect(isLinkOf(tenant, token, ring('p1', 'p1'))).toBe(true);
  expect(JSON.stringify(tenant)).not.toContain(token.split('.')[1]);
});

test('isLinkOf rejects a changed token, a tenant without a link and a replaced link', () => {
  const peppers = ring('p1', 'p1');
  const { token, tenant } = createLink(application, peppers);
  expect(isLinkOf(tenant, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, peppers)).toBe(false);
  expect(isLinkOf(application, token, peppers)).toBe(false);
  expect(isLinkOf({ ...tenant, metadata: { name: 'n', annotations: { [LINK_ANNOTATION]: '' } } }, token, peppers)).toBe(
    false,
  );
  expect(isLinkOf(createLink(tenant, peppers).tenant, token, peppers)).toBe(false);
});

test('a private link stays valid when the current pepper changes, until its own pepper is removed', () => {
  const { token, tenant } = createLink(application, ring('p1', 'p1'));
  expect(isLinkOf(tenant, token, ring('p2', 'p1', 'p2'))).toBe(true);
  expect(isLinkOf(tenant, token, ring('p2', 'p2'))).toBe(false);
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
