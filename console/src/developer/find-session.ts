import type { MemberRole, Tenant } from '@svc-asr/core';
import type { AttemptLimiter } from '@svc-asr/runtime';
import type { Request } from 'express';
import { isSessionEnded } from '../applications/ended-sessions.ts';
import { isLinkExpired, sessionLinkIdOf } from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import { findMember } from '../identity/member.ts';
import type { SignedInUser, UserSessions } from '../identity/user-sessions.ts';
import type { Stored } from '../resources/store.ts';
import { SESSION_COOKIE } from './cookie.ts';
import type { DeveloperDeps } from './deps.ts';
import { readSession } from './session.ts';
import type { Session } from './session.ts';
import { readUserCookie } from './user-cookie.ts';

interface InTenant {
  /** Tenant that the request is signed in as. */
  readonly tenant: Tenant;
  /** File that defines the tenant. Undefined if the console may change the tenant. */
  readonly readOnlyIn: Stored<'Tenant'>['readOnlyIn'];
  readonly role: MemberRole;
}

/** Session of a browser that signed in with a private link or a sign-in code. Its role is owner. */
export interface LinkSession extends InTenant {
  readonly signedInBy: 'link';
  readonly session: Session;
}

/** Session of a user of the OpenID provider. */
export interface UserSession extends InTenant {
  readonly signedInBy: 'oidc';
  readonly user: SignedInUser;
  /** Name of the Member that makes the user a member of the tenant. */
  readonly member: string;
}

export type FoundSession = LinkSession | UserSession;

/**
 * Returns the session of a request. Throws `not_signed_in`, or `no_account` for a user who has selected no tenant or is
 * not a member of the selected one. Throws `rate_limit_exceeded` after too many forged cookies.
 */
export type FindSession = (request: Request) => Promise<FoundSession>;

/** Returns the tenant of a request that `createAuthorize` has admitted. */
export type SignedIn = (request: Request) => Promise<Tenant>;

export interface SessionFinder {
  find: FindSession;
  /** Returns the user of a request, if the user signed in with OpenID Connect. The user need not have a tenant. */
  findUser: (request: Request) => Promise<SignedInUser | undefined>;
}

/**
 * Creates the functions that authenticate a request by its cookie. The signature of a link session is verified first,
 * so that a forged session causes no read of a tenant.
 */
export function createSessionFinder(
  { reads, peppers, now }: Pick<DeveloperDeps, 'reads' | 'peppers' | 'now'>,
  users: UserSessions,
  failures: AttemptLimiter,
): SessionFinder {
  async function findByLink(request: Request, cookie: string): Promise<LinkSession> {
    const session = readSession(cookie, peppers);
    if (session === 'forged') {
      refuseIfBlocked(failures, request, now());
      failures.fail(request.ip ?? '', now());
      throw new ConsoleError('not_signed_in');
    }
    if (session === undefined || session.expiresAtMs <= now()) throw new ConsoleError('not_signed_in');
    const found = await reads.tenant(session.tenant);
    if (found === undefined || !isValid(session, found.resource, now())) throw new ConsoleError('not_signed_in');
    return { signedInBy: 'link', session, tenant: found.resource, readOnlyIn: found.readOnlyIn, role: 'owner' };
  }

  /**
   * Finds the session of a user. Checks the Member for each request. If this replica removes a member, the member loses
   * access with the next request. Other replicas may use a cached Member for up to CACHE_MS.
   */
  async function findByUser(token: string, name: string): Promise<UserSession> {
    const user = await users.find(token);
    if (user === undefined) throw new ConsoleError('not_signed_in');
    const [found, members] = name === '' ? [undefined, []] : await readTenant(name);
    const member = findMember(members, user);
    if (found === undefined || member === undefined) throw new ConsoleError('no_account');
    const { role } = member.spec;
    const { resource: tenant, readOnlyIn } = found;
    return { signedInBy: 'oidc', user, member: member.metadata.name, tenant, readOnlyIn, role };
  }

  function readTenant(name: string) {
    return Promise.all([reads.tenant(name), reads.membersOf(name)]);
  }

  return {
    find: async (request) => {
      const cookie = SESSION_COOKIE.read(request) ?? '';
      const ofUser = readUserCookie(cookie);
      return ofUser === undefined ? findByLink(request, cookie) : findByUser(ofUser.token, ofUser.tenant);
    },
    findUser: async (request) => {
      const ofUser = readUserCookie(SESSION_COOKIE.read(request) ?? '');
      return ofUser === undefined ? undefined : users.find(ofUser.token);
    },
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
