import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Keyring, Logger } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import { ConsoleError } from '../errors.ts';
import type { ConsoleErrorCode } from '../errors.ts';
import type { Cookie } from '../http/cookie.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { LOGIN_MS, readLogin, writeLogin } from './login.ts';
import type { Provider, ProviderUser } from './provider.ts';
import { safeReturnPath } from './return-path.ts';

export interface SignInRoutes {
  readonly provider: Provider;
  /** Public URL of the page. */
  readonly baseUrl: string;
  /** Path that starts a sign-in. */
  readonly startPath: string;
  /** Path that the provider redirects to. */
  readonly callbackPath: string;
  /** Cookie that holds the state of a sign-in. It is SameSite=Lax, because the provider redirects from another site. */
  readonly loginCookie: Cookie;
  /** Maximum number of failed sign-ins of an address per minute. */
  readonly failuresPerMinute: number;
  readonly peppers: Keyring;
  readonly logger: Logger;
  readonly now: () => number;
  /** Called when a user has signed in at the provider. Starts the session, or throws a ConsoleError. */
  readonly onUser: (request: Request, response: Response, user: ProviderUser) => Promise<void>;
}

/**
 * Serves the two navigations of a sign-in with OpenID Connect. A failure redirects to the page, with the error code in
 * the query. The browser would show an error response to a navigation as raw JSON.
 */
export function routeProviderSignIn(router: Router, options: SignInRoutes): void {
  const { provider, baseUrl, loginCookie, peppers, logger, now } = options;
  // Other failures of an address, such as wrong links, do not count here. They must not block users of the provider.
  const failures = createAttemptLimiter(options.failuresPerMinute, 60_000);
  const redirectUri = `${baseUrl}${options.callbackPath}`;

  function refuseIfBlocked(request: Request): void {
    if (failures.waitMs(request.ip ?? '', now()) > 0) throw new ConsoleError('rate_limit_exceeded');
  }

  async function start(request: Request, response: Response): Promise<void> {
    // A page of another site must not replace the session of its visitor. Browsers report the site that started a
    // request in Sec-Fetch-Site.
    if (['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site']))) {
      response.redirect(303, '/');
      return;
    }
    const { url, login } = await provider.start(redirectUri, safeReturnPath(request.query.return_to), now());
    loginCookie.write(request, response, writeLogin(login, peppers), LOGIN_MS);
    response.redirect(303, url);
  }

  async function finish(request: Request, response: Response): Promise<void> {
    refuseIfBlocked(request);
    const login = readLogin(loginCookie.read(request), peppers, now());
    loginCookie.clear(request, response);
    if (login === undefined) throw new ConsoleError('sign_in_expired');
    const callbackUrl = new URL(redirectUri);
    callbackUrl.search = new URL(request.originalUrl, baseUrl).search;
    try {
      const user = await provider.finish(callbackUrl, login);
      await options.onUser(request, response, user);
    } catch (error) {
      if (error instanceof ConsoleError && error.code === 'sign_in_failed') failures.fail(request.ip ?? '', now());
      throw error;
    }
    response.redirect(303, login.returnPath);
  }

  const navigation = (handle: typeof start) => async (request: Request, response: Response) => {
    try {
      await handle(request, response);
    } catch (error) {
      const code: ConsoleErrorCode = error instanceof ConsoleError ? error.code : 'service_unavailable';
      if (!(error instanceof ConsoleError)) logger.error({ err: error }, 'sign-in failed');
      response.redirect(303, `/?sign_in_error=${code}`);
    }
  };

  router.route(options.startPath).get(navigation(start)).all(methodNotAllowed('GET, HEAD'));
  router.route(options.callbackPath).get(navigation(finish)).all(methodNotAllowed('GET, HEAD'));
}
