import { randomBytes as randomBytesOf } from 'node:crypto';
import { API_GROUP } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';

/**
 * What a developer signs in with where there is no OpenID Connect: `TENANT.SECRET`. The Tenant holds a hash of it, in an
 * annotation; the link itself is shown once and stored nowhere. A new one makes the old one worthless.
 */
export const LINK_ANNOTATION = `${API_GROUP}/link-hash`;

const SECRET_BYTES = 24;
const TOKEN = /^([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)\.[\w-]{32}$/;

/** Gives the tenant a private link. */
export function giveLink(
  tenant: Tenant,
  peppers: Keyring,
  randomBytes: (n: number) => Buffer = randomBytesOf,
): { token: string; tenant: Tenant } {
  const token = `${tenant.metadata.name}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { token, tenant: withLink(tenant, token, peppers) };
}

/** The tenant with the hash of a link that was drawn before. */
export function withLink(tenant: Tenant, token: string, peppers: Keyring): Tenant {
  const annotations = { ...tenant.metadata.annotations, [LINK_ANNOTATION]: hashOf(token, peppers, peppers.current) };
  return { ...tenant, metadata: { ...tenant.metadata, annotations } };
}

/** The name of the tenant that a token is for; undefined when it is no token. */
export function tenantOf(token: string): string | undefined {
  return TOKEN.exec(token)?.[1];
}

/** Whether a token is the tenant's present link. */
export function isLinkOf(tenant: Tenant, token: string, peppers: Keyring): boolean {
  const stored = tenant.metadata.annotations?.[LINK_ANNOTATION] ?? '';
  const [pepperId = ''] = stored.split(':');
  // A pepper that is gone, or a Tenant without a link, lets nobody in.
  return peppers.secrets.has(pepperId) && equalTexts(stored, hashOf(token, peppers, pepperId));
}

function hashOf(token: string, peppers: Keyring, pepperId: string): string {
  const hash = sign(peppers, pepperId, `link:${token}`, 'hex');
  if (hash === undefined) throw new Error('the pepper is missing');
  return `${pepperId}:${hash}`;
}
