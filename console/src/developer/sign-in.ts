import { randomBytes } from 'node:crypto';
import type { Tenant } from '@svc-asr/core';
import { networkOf } from '@svc-asr/runtime';
import type { AttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import {
  isLinkExpired,
  isLinkOf,
  linkExpiryOf,
  sessionLinkIdOf,
  tenantOf,
  withLinkExpiry,
} from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import { checkNoQuery } from '../http/query.ts';
import type { SignInMethodsView } from '../responses.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import { SESSION_COOKIE } from './cookie.ts';
import type { DeveloperDeps } from './deps.ts';
import { refuseIfBlocked } from './find-session.ts';
import type { SessionFinder } from './find-session.ts';
import { checkSignIn } from './schemas.ts';
import { writeSession } from './session.ts';
import { createSignOut } from './sign-out.ts';

const DAY_MS = 86_400_000;
/** Maximum time until a browser has to open the private link again. */
const SESSION_MS = 7 * DAY_MS;
const SESSION_ID_BYTES = 8;

/** Serves sign-in and sign-out. */
export function routeSignIn(
  router: Router,
  deps: DeveloperDeps,
  failures: AttemptLimiter,
  finder: SessionFinder,
): void {
  const { store, peppers, codes, settings, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  // Attempts from one network run one after the other, so that concurrent ones cannot pass the limit together.
  const inTurn = createKeyedMutex();

  async function find(token: string): Promise<Tenant | undefined> {
    const name = tenantOf(token);
    // The tenant is read before the code is taken, so that a failed read does not use up the code.
    const found = name === undefined ? undefined : await store.get('Tenant', name);
    if (found === undefined) return undefined;
    if (codes.take(token, found.resource, now())) return found.resource;
    if (!isLinkOf(found.resource, token, peppers)) return undefined;
    if (isLinkExpired(found.resource, now())) return undefined;
    const isOld = linkExpiryOf(found.resource) === undefined && found.readOnlyIn === undefined;
    return isOld ? addExpiry(found.resource) : found.resource;
  }

  /**
   * Adds an expiry to a link that an older console created. The lifetime of the link starts now, so that an upgrade of
   * the console does not invalidate it.
   */
  async function addExpiry({ metadata }: Tenant): Promise<Tenant> {
    const { resource } = await store.update('Tenant', metadata.name, (current) => {
      if (current === undefined) throw new ConsoleError('invalid_link');
      if (linkExpiryOf(current) !== undefined) return current;
      return withLinkExpiry(current, now() + settings.LINK_DAYS * DAY_MS);
    });
    return resource;
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
    .get((request, response) => {
      valid(checkNoQuery(request.query));
      const view: SignInMethodsView = {
        object: 'sign_in_methods',
        link: true,
        oidc: deps.identity.provider !== undefined,
      };
      response.json(view);
    })
    .delete(createSignOut(deps, finder))
    .all(methodNotAllowed('GET, HEAD, POST, DELETE'));
}

/** Signs the browser in as a tenant. */
export function startSession(
  request: Request,
  response: Response,
  tenant: Tenant,
  { peppers, now }: Pick<DeveloperDeps, 'peppers' | 'now'>,
): void {
  const nowMs = now();
  const expiresAtMs = Math.min(nowMs + SESSION_MS, linkExpiryOf(tenant) ?? Infinity);
  const id = randomBytes(SESSION_ID_BYTES).toString('hex');
  const session = { id, tenant: tenant.metadata.name, linkId: sessionLinkIdOf(tenant), expiresAtMs };
  SESSION_COOKIE.write(request, response, writeSession(session, peppers), expiresAtMs - nowMs);
}
