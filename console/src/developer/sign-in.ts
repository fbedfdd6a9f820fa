import type { Tenant } from '@svc-asr/core';
import { networkOf } from '@svc-asr/runtime';
import type { AttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { isLinkOf, linkIdOf, tenantOf } from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import { clearCookie, readCookie, writeCookie } from './cookie.ts';
import type { DeveloperDeps } from './deps.ts';
import { checkSignIn } from './schemas.ts';
import { readSession, writeSession } from './session.ts';

/** Returns the tenant that a request is signed in as. Throws `not_signed_in` if there is none. */
export type SignedIn = (request: Request) => Promise<Tenant>;

/** Maximum time until a browser has to open the private link again. */
const SESSION_MS = 7 * 86_400_000;

/**
 * Creates the function that authenticates a request by the session in its cookie. The signature is verified first. Only
 * a session that this console or another replica issued causes a read of its tenant.
 */
export function createSignedIn({ reads, peppers, now }: DeveloperDeps, failures: AttemptLimiter): SignedIn {
  return async (request) => {
    const session = readSession(readCookie(request) ?? '', peppers);
    if (session === 'forged') {
      refuseIfBlocked(failures, request, now());
      failures.fail(request.ip ?? '', now());
      throw new ConsoleError('not_signed_in');
    }
    if (session === undefined || session.expiresAtMs <= now()) throw new ConsoleError('not_signed_in');
    const tenant = (await reads.tenant(session.tenant))?.resource;
    if (tenant === undefined || linkIdOf(tenant) !== session.linkId) throw new ConsoleError('not_signed_in');
    return tenant;
  };
}

/** Serves sign-in and sign-out. */
export function routeSignIn(router: Router, deps: DeveloperDeps, failures: AttemptLimiter): void {
  const { store, peppers, settings, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  // Attempts from one network run one after the other, so that concurrent ones cannot pass the limit together.
  const inTurn = createKeyedMutex();

  async function find(token: string): Promise<Tenant | undefined> {
    const name = tenantOf(token);
    const found = name === undefined ? undefined : await store.get('Tenant', name);
    return found !== undefined && isLinkOf(found.resource, token, peppers) ? found.resource : undefined;
  }

  async function signIn(request: Request, response: Response): Promise<void> {
    const { token } = valid(checkSignIn(await readJson(request, response)));
    const address = request.ip ?? '';
    const tenant = await inTurn(networkOf(address), async () => {
      // A blocked address must not cause reads, so the limit is checked before the link.
      refuseIfBlocked(failures, request, now());
      const found = await find(token);
      if (found !== undefined) return found;
      failures.fail(address, now());
      throw new ConsoleError('invalid_link');
    });
    startSession(request, response, tenant, deps);
    response.json({ object: 'sign_in', tenant: tenant.metadata.name });
  }

  router
    .route('/console/v1/sign-in')
    .post(signIn)
    .delete((request, response) => {
      clearCookie(request, response);
      response.json({ object: 'sign_in', tenant: null });
    })
    .all(methodNotAllowed('POST, DELETE'));
}

/** Signs the browser in as a tenant. */
export function startSession(
  request: Request,
  response: Response,
  tenant: Tenant,
  { peppers, now }: Pick<DeveloperDeps, 'peppers' | 'now'>,
): void {
  const session = { tenant: tenant.metadata.name, linkId: linkIdOf(tenant), expiresAtMs: now() + SESSION_MS };
  writeCookie(request, response, writeSession(session, peppers), SESSION_MS);
}

function refuseIfBlocked(failures: AttemptLimiter, request: Request, nowMs: number): void {
  const waitMs = failures.waitMs(request.ip ?? '', nowMs);
  if (waitMs > 0) throw tooMany(waitMs);
}

/** Builds the error for an address that made too many attempts. */
export function tooMany(waitMs: number): ConsoleError {
  return new ConsoleError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } });
}
