import * as client from 'openid-client';
import type { Logger } from '@svc-asr/runtime';
import { ConsoleError } from '../errors.ts';
import type { UserIdentity } from '../resources/store.ts';
import type { ConsoleSettings } from '../settings.ts';
import { LOGIN_MS } from './login.ts';
import type { Login } from './login.ts';

export type ProviderSettings = Pick<
  ConsoleSettings,
  'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_SCOPES' | 'OIDC_GROUPS_CLAIM'
>;

/** A user as the OpenID provider describes it at a sign-in. */
export interface ProviderUser extends UserIdentity {
  readonly name: string | null;
  readonly email: string | null;
  /** Groups in the claim OIDC_GROUPS_CLAIM. */
  readonly groups: readonly string[];
}

/** Sign-in at an OpenID provider: authorization code flow with PKCE, state and nonce. */
export interface Provider {
  /** Starts a sign-in. Returns the address that the browser opens, and the login that the browser keeps in a cookie. */
  start: (redirectUri: string, returnPath: string, nowMs: number) => Promise<{ url: string; login: Login }>;
  /**
   * Finishes a sign-in with the address that the provider redirected to. Throws `sign_in_failed` or
   * `identity_provider_unavailable`.
   */
  finish: (callbackUrl: URL, login: Login) => Promise<ProviderUser>;
}

/** Timeout of a request to the provider, in seconds. */
const TIMEOUT_S = 10;
const MAX_NAME_CHARACTERS = 200;
const MAX_EMAIL_CHARACTERS = 320;

/** Creates the client of the provider. Its discovery document is read at the first sign-in, and kept. */
export function createProvider(settings: ProviderSettings, logger: Logger): Provider {
  let discovered: Promise<client.Configuration> | undefined;

  /** Reads the discovery document. A failure is not kept, so that the next sign-in tries again. */
  async function discover(): Promise<client.Configuration> {
    discovered ??= discoverProvider(settings);
    try {
      return await discovered;
    } catch (err) {
      discovered = undefined;
      logger.error({ err }, 'the OpenID provider is unavailable');
      throw new ConsoleError('identity_provider_unavailable', { cause: err });
    }
  }

  return {
    start: async (redirectUri, returnPath, nowMs) => {
      const config = await discover();
      const verifier = client.randomPKCECodeVerifier();
      const login = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier,
        returnPath,
        expiresAtMs: nowMs + LOGIN_MS,
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.OIDC_SCOPES,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: login.state,
        nonce: login.nonce,
      });
      return { url: url.href, login };
    },
    finish: async (callbackUrl, login) => {
      const config = await discover();
      try {
        return await requestUser(config, callbackUrl, login, settings.OIDC_GROUPS_CLAIM);
      } catch (err) {
        // The cause names an error of the protocol. It contains no code and no token.
        logger.warn({ reason: err instanceof Error ? err.message : String(err) }, 'sign-in at the provider failed');
        throw new ConsoleError('sign_in_failed', { cause: err });
      }
    },
  };
}

async function discoverProvider(settings: ProviderSettings): Promise<client.Configuration> {
  const issuer = new URL(settings.OIDC_ISSUER);
  const secret = settings.OIDC_CLIENT_SECRET;
  const authentication = secret === '' ? client.None() : client.ClientSecretBasic(secret);
  return client.discovery(issuer, settings.OIDC_CLIENT_ID, undefined, authentication, {
    timeout: TIMEOUT_S,
    // Settings allow http:// only for providers on this machine.
    // oxlint-disable-next-line typescript/no-deprecated -- it is marked as deprecated only to stand out
    ...(issuer.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
  });
}

async function requestUser(
  config: client.Configuration,
  callbackUrl: URL,
  login: Login,
  groupsClaim: string,
): Promise<ProviderUser> {
  const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
    pkceCodeVerifier: login.verifier,
    expectedState: login.state,
    expectedNonce: login.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider returned no ID token');
  const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined;
  const info = hasUserInfo ? await client.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
  const all: Readonly<Record<string, unknown>> = { ...info, ...claims };
  const groups = all[groupsClaim];
  return {
    issuer: claims.iss,
    subject: claims.sub,
    name: textOf(all.name ?? all.preferred_username, MAX_NAME_CHARACTERS),
    email: textOf(all.email, MAX_EMAIL_CHARACTERS),
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
  };
}

/** Returns one line of text of a limited length. Null if the claim is missing, empty or not a text. */
function textOf(claim: unknown, maxCharacters: number): string | null {
  if (typeof claim !== 'string') return null;
  const characters = Array.from(claim.replace(/\p{Cc}+/gu, ' ').trim());
  const line = characters.slice(0, maxCharacters).join('');
  return line === '' ? null : line;
}
