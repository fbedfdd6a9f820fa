import type { Tenant } from '@svc-asr/core';
import type { AttemptLimiter } from '@svc-asr/runtime';
import type { Request } from 'express';
import { isSessionEnded } from '../applications/ended-sessions.ts';
import { isLinkExpired, sessionLinkIdOf } from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import type { Stored } from '../resources/store.ts';
import { readCookie } from './cookie.ts';
import type { DeveloperDeps } from './deps.ts';
import { readSession } from './session.ts';
import type { Session } from './session.ts';

/** Session of a request, and the tenant that it is signed in as. */
export interface FoundSession {
  readonly session: Session;
  readonly tenant: Tenant;
  /** File that defines the tenant, if the console must not write it. */
  readonly readOnlyIn: Stored<'Tenant'>['readOnlyIn'];
}

/** Returns the session of a request. Throws `not_signed_in` if there is none. */
export type FindSession = (request: Request) => Promise<FoundSession>;

/** Returns the tenant that a request is signed in as. Throws `not_signed_in` if there is none. */
export type SignedIn = (request: Request) => Promise<Tenant>;

/**
 * Creates the function that authenticates a request by the session in its cookie. The signature is verified first. Only
 * a session that this console or another replica issued causes a read of its tenant.
 */
export function createFindSession({ reads, peppers, now }: DeveloperDeps, failures: AttemptLimiter): FindSession {
  return async (request) => {
    const session = readSession(readCookie(request) ?? '', peppers);
    if (session === 'forged') {
      refuseIfBlocked(failures, request, now());
      failures.fail(request.ip ?? '', now());
      throw new ConsoleError('not_signed_in');
    }
    if (session === undefined || session.expiresAtMs <= now()) throw new ConsoleError('not_signed_in');
    const found = await reads.tenant(session.tenant);
    if (found === undefined || !isValid(session, found.resource, now())) throw new ConsoleError('not_signed_in');
    return { session, tenant: found.resource, readOnlyIn: found.readOnlyIn };
  };
}

function isValid(session: Session, tenant: Tenant, nowMs: number): boolean {
  const isOfLink = sessionLinkIdOf(tenant) === session.linkId && !isLinkExpired(tenant, nowMs);
  return isOfLink && !isSessionEnded(tenant, session);
}

/** Throws `rate_limit_exceeded` if the address of the request made too many attempts. */
export function refuseIfBlocked(failures: AttemptLimiter, request: Request, nowMs: number): void {
  const waitMs = failures.waitMs(request.ip ?? '', nowMs);
  if (waitMs > 0) throw tooMany(waitMs);
}

/** Builds the error for an address or a tenant that made too many attempts. */
export function tooMany(waitMs: number): ConsoleError {
  return new ConsoleError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } });
}
