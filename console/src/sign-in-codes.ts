import { randomBytes } from 'node:crypto';
import type { Tenant } from '@svc-asr/core';
import { isLinkExpired, sessionLinkIdOf } from './applications/link.ts';

const CODE_BYTES = 24;
/** Time for which a code can be used. */
const LIFETIME_MS = 3_600_000;
/** Largest number of unused codes. The oldest are dropped. */
const MAX_CODES = 100;

/** Codes that sign a browser in as a tenant. */
export interface SignInCodes {
  /** Creates a code, `TENANT.SECRET`, as in a private link. */
  create: (tenant: Tenant, nowMs: number) => { token: string; expiresAtMs: number };
  /**
   * Returns whether a code signs in as the tenant, and deletes the code. A code is invalid if it or the private link of
   * the tenant has expired. It is also invalid if, after the code was created, the link was replaced or revoked, or the
   * tenant was deleted and created again.
   */
  take: (token: string, tenant: Tenant, nowMs: number) => boolean;
}

interface Code {
  tenant: string;
  /** Distinguishes the tenant from a later one of the same name. */
  createdAt: string | undefined;
  linkId: string;
  expiresAtMs: number;
}

/**
 * Creates the codes of this process. They are only in memory: a code works once, at the process that created it, and
 * not after a restart.
 */
export function createSignInCodes(): SignInCodes {
  const codes = new Map<string, Code>();
  return {
    create: (tenant, nowMs) => {
      const { name, creationTimestamp: createdAt } = tenant.metadata;
      const token = `${name}.${randomBytes(CODE_BYTES).toString('base64url')}`;
      const expiresAtMs = nowMs + LIFETIME_MS;
      codes.set(token, { tenant: name, createdAt, linkId: sessionLinkIdOf(tenant), expiresAtMs });
      const [oldest] = codes.keys();
      if (codes.size > MAX_CODES && oldest !== undefined) codes.delete(oldest);
      return { token, expiresAtMs };
    },
    take: (token, tenant, nowMs) => {
      const code = codes.get(token);
      codes.delete(token);
      return code !== undefined && code.expiresAtMs > nowMs && isOf(code, tenant) && !isLinkExpired(tenant, nowMs);
    },
  };
}

function isOf(code: Code, tenant: Tenant): boolean {
  const { name, creationTimestamp } = tenant.metadata;
  return code.tenant === name && code.createdAt === creationTimestamp && code.linkId === sessionLinkIdOf(tenant);
}
