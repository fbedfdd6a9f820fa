import type { Tenant } from '@svc-asr/core';
import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { isLinkOf, tenantOf } from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import { clearCookie, readCookie, writeCookie } from './cookie.ts';
import type { DeveloperDeps } from './deps.ts';
import { checkSignIn } from './schemas.ts';

/** Returns the tenant that a request is signed in as. Throws `not_signed_in` if there is none. */
export type SignedIn = (request: Request) => Promise<Tenant>;

/** Creates the function that authenticates a request by the private link in its cookie. */
export function createSignedIn({ store, peppers }: Pick<DeveloperDeps, 'store' | 'peppers'>): SignedIn {
  return async (request) => {
    const tenant = await tenantBy(readCookie(request) ?? '', { store, peppers });
    if (tenant === undefined) throw new ConsoleError('not_signed_in');
    return tenant;
  };
}

/** Serves sign-in and sign-out. */
export function routeSignIn(router: Router, { store, peppers, settings, now }: DeveloperDeps): void {
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  const attempts = createAttemptLimiter(settings.SIGN_IN_FAILURES_PER_MINUTE, 60_000);

  async function signIn(request: Request, response: Response): Promise<void> {
    const { token } = valid(checkSignIn(await readJson(request, response)));
    const address = request.ip ?? '';
    const tenant = await tenantBy(token, { store, peppers });
    if (tenant === undefined) {
      const waitMs = attempts.waitMs(address, now());
      if (waitMs > 0) throw tooMany(waitMs);
      attempts.fail(address, now());
      throw new ConsoleError('invalid_link');
    }
    writeCookie(request, response, token);
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

/** Builds the error for an address that made too many attempts. */
export function tooMany(waitMs: number): ConsoleError {
  return new ConsoleError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } });
}

async function tenantBy(
  token: string,
  { store, peppers }: Pick<DeveloperDeps, 'store' | 'peppers'>,
): Promise<Tenant | undefined> {
  const name = tenantOf(token);
  const found = name === undefined ? undefined : await store.get('Tenant', name);
  return found !== undefined && isLinkOf(found.resource, token, peppers) ? found.resource : undefined;
}
