import { randomBytes as randomBytesOf } from 'node:crypto';
import { API_GROUP } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';
import { NAME_PATTERN } from '../resources/object.ts';

/**
 * Annotation with the hash of a tenant's private link. A developer can sign in with the token in the link,
 * `TENANT.SECRET`. The link itself is shown once and not stored. A new link invalidates the old one.
 */
export const LINK_ANNOTATION = `${API_GROUP}/link-hash`;

/**
 * Annotation with the time at which the link expires. A link that an older console created gets this annotation at the
 * next sign-in.
 */
export const LINK_EXPIRY_ANNOTATION = `${API_GROUP}/link-expires-at`;

const SECRET_BYTES = 24;
const LINK_ID_CHARACTERS = 16;
const TOKEN = new RegExp(String.raw`^(${NAME_PATTERN})\.[\w-]{32}$`);

/** Creates a private link, and stores its hash and expiry in the tenant. */
export function createLink(
  tenant: Tenant,
  peppers: Keyring,
  expiresAtMs: number,
  randomBytes: (n: number) => Buffer = randomBytesOf,
): { token: string; tenant: Tenant } {
  const token = `${tenant.metadata.name}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { token, tenant: withLink(tenant, token, peppers, expiresAtMs) };
}

/** Stores the hash and the expiry of an existing token in the tenant. */
export function withLink(tenant: Tenant, token: string, peppers: Keyring, expiresAtMs: number): Tenant {
  const linked = annotate(tenant, LINK_ANNOTATION, hashOf(token, peppers, peppers.current));
  return withLinkExpiry(linked, expiresAtMs);
}

/** Changes the expiry of the tenant's link. */
export function withLinkExpiry(tenant: Tenant, expiresAtMs: number): Tenant {
  return annotate(tenant, LINK_EXPIRY_ANNOTATION, new Date(expiresAtMs).toISOString());
}

/**
 * Revokes the tenant's link. The annotations become empty, because the store of the cluster merges annotations and
 * removes none.
 */
export function withoutLink(tenant: Tenant): Tenant {
  return annotate(annotate(tenant, LINK_ANNOTATION, ''), LINK_EXPIRY_ANNOTATION, '');
}

/** Returns true if the tenant's link was revoked. False for a tenant that never had a link. */
export function isLinkRevoked({ metadata }: Tenant): boolean {
  return metadata.annotations?.[LINK_ANNOTATION] === '';
}

/**
 * Returns when the tenant's link expires. Undefined if the tenant never had a link, or if an older console created the
 * link without an expiry. NaN if the link was revoked, or if the expiry is not a date.
 */
export function linkExpiryOf({ metadata }: Tenant): number | undefined {
  const text = metadata.annotations?.[LINK_EXPIRY_ANNOTATION];
  return text === undefined ? undefined : Date.parse(text);
}

/** Returns true if the tenant's link has expired, was revoked, or has an expiry that is not a date. */
export function isLinkExpired(tenant: Tenant, nowMs: number): boolean {
  const expiresAtMs = linkExpiryOf(tenant);
  return expiresAtMs !== undefined && !(expiresAtMs > nowMs);
}

/** Returns the name of the tenant that a token belongs to. Undefined if the text is not a token. */
export function tenantOf(token: string): string | undefined {
  return TOKEN.exec(token)?.[1];
}

/** Returns true if the token is the tenant's current link. */
export function isLinkOf(tenant: Tenant, token: string, peppers: Keyring): boolean {
  const stored = tenant.metadata.annotations?.[LINK_ANNOTATION] ?? '';
  const [pepperId = ''] = stored.split(':');
  // Without the pepper or without a link, no token is valid.
  return peppers.secrets.has(pepperId) && equalTexts(stored, hashOf(token, peppers, pepperId));
}

/** Returns an id of the tenant's current link, which reveals nothing about its secret. Empty if there is no link. */
export function linkIdOf({ metadata }: Tenant): string {
  return (metadata.annotations?.[LINK_ANNOTATION] ?? '').split(':')[1]?.slice(0, LINK_ID_CHARACTERS) ?? '';
}

/**
 * Returns the link id that sessions of the tenant contain. Returns zeros for a tenant without a link. A sign-in code
 * can start sessions of such a tenant.
 */
export function sessionLinkIdOf(tenant: Tenant): string {
  return linkIdOf(tenant) || '0'.repeat(LINK_ID_CHARACTERS);
}

function annotate(tenant: Tenant, name: string, value: string): Tenant {
  const annotations = { ...tenant.metadata.annotations, [name]: value };
  return { ...tenant, metadata: { ...tenant.metadata, annotations } };
}

function hashOf(token: string, peppers: Keyring, pepperId: string): string {
  const hash = sign(peppers, pepperId, `link:${token}`, 'hex');
  if (hash === undefined) throw new Error(`the pepper ${pepperId} is missing in API_KEY_PEPPERS`);
  return `${pepperId}:${hash}`;
}
