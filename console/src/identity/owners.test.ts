import { API_VERSION } from '@svc-asr/core';
import type { Member } from '@svc-asr/core';
import { createKubernetesStore } from '../resources/kubernetes-store.ts';
import { buildTenant } from '../tenants/tenant.ts';
import { createKubeObjects } from '../testing/kube-objects.ts';
import { reserveLeaving } from './owners.ts';

const NOW = 1_000_000;

const owner = (name: string): Member => ({
  apiVersion: API_VERSION,
  kind: 'Member',
  metadata: { name },
  spec: { tenant: 'acme', role: 'owner', issuer: 'https://login.example', subject: name },
});

/** Creates two consoles of one cluster, with a tenant that has two owners. */
function open() {
  const objects = createKubeObjects();
  objects.put({ ...buildTenant('acme', { displayName: 'Acme' }), metadata: { name: 'acme' } });
  for (const name of ['a', 'b']) objects.put({ ...owner(name), metadata: { name } });
  const store = () => createKubernetesStore({ api: objects.api, pageSize: 500 });
  return { ...objects, one: store(), other: store() };
}

const codeOf = (result: PromiseSettledResult<void>) =>
  result.status === 'fulfilled' ? 'reserved' : (result.reason as { code?: string }).code;

test('if two consoles demote the last two owners at the same time, one demotion is refused', async () => {
  const { one, other } = open();
  const results = await Promise.allSettled([
    reserveLeaving(one, 'acme', [owner('a')], NOW),
    reserveLeaving(other, 'acme', [owner('b')], NOW),
  ]);
  expect(results.map(codeOf).sort()).toEqual(['last_owner', 'reserved']);
});

test('if a demotion is reserved but never written, the owner counts as an owner again after a minute', async () => {
  const { one, other } = open();
  await reserveLeaving(one, 'acme', [owner('a')], NOW);
  const second = (nowMs: number) => reserveLeaving(other, 'acme', [owner('b')], nowMs);
  await expect(second(NOW + 59_999)).rejects.toMatchObject({ code: 'last_owner' });
  await expect(second(NOW + 60_000)).resolves.toBeUndefined();
});

test('a pending invitation with the role owner does not count as an owner', async () => {
  const { one, put } = open();
  const { issuer: _issuer, subject: _subject, ...spec } = owner('b').spec;
  const invitation = { hash: 'a'.repeat(64), pepperId: 'p1', expiresAt: '2030-01-01T00:00:00Z', invitedBy: 'x' };
  put({ ...owner('b'), metadata: { name: 'b' }, spec: { ...spec, invitation } });
  await expect(reserveLeaving(one, 'acme', [owner('a')], NOW)).rejects.toMatchObject({ code: 'last_owner' });
});

test('two Members of the same user do not count as two owners', async () => {
  const { one } = open();
  const both = [owner('a'), owner('b')];
  await expect(reserveLeaving(one, 'acme', both, NOW)).rejects.toMatchObject({ code: 'last_owner' });
});
