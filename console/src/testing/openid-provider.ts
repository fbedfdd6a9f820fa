import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { endAfterFile } from '../../../test/support/leftovers.ts';

/** Claims of a user of the test provider. */
export interface TestUser {
  readonly name?: string;
  readonly email?: string;
  readonly groups?: readonly string[];
}

/** A real OpenID provider on loopback. Users sign in with their subject and without a password. */
export interface OpenidProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Users by subject. Tests may change them between two sign-ins. */
  readonly users: Map<string, TestUser>;
  /** Settings of a console that uses the provider. */
  settings: (consoleUrl: string) => Record<string, string>;
  stop: () => Promise<void>;
}

/** Key that signs ID tokens. */
const SIGNING_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

/** Starts the provider. `redirectUris` are the addresses to which the provider is allowed to redirect users. */
export async function startOpenidProvider(redirectUris: string[]): Promise<OpenidProvider> {
  const users = new Map<string, TestUser>();
  let handle = (_request: IncomingMessage, response: ServerResponse): unknown => response.end();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['svc-asr-console', 'test-client-secret-0123456789'];

  const provider = new Provider(issuer, {
    // With its default adapter and its default keys, the provider prints warnings that hide the output of tests.
    adapter: createMemoryAdapter(),
    jwks: { keys: [{ ...SIGNING_KEY, kty: 'RSA' }] },
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    cookies: { keys: ['test-cookie-key'] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email'], groups: ['groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...users.get(sub) }) }),
    // Users are not asked for their consent.
    loadExistingGrant: async (context) => {
      const { client, session, params } = context.oidc;
      const grant = new context.oidc.provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      if (typeof params?.scope === 'string') grant.addOIDCScope(params.scope);
      await grant.save();
      return grant;
    },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
  });
  const serve = provider.callback();
  handle = (request, response) =>
    request.url?.startsWith('/interaction/') === true
      ? interact(provider, request, response)
      : serve(request, response);

  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  endAfterFile(stop);
  return {
    issuer,
    clientId,
    clientSecret,
    users,
    settings: (consoleUrl) => ({
      CONSOLE_URL: consoleUrl,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
    }),
    stop,
  };
}

/** Shows a form that asks for the subject, and signs the user in when the form is submitted. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    const form = new URLSearchParams(await text(request));
    const result = form.has('cancel')
      ? { error: 'access_denied', error_description: 'the user cancelled' }
      : { login: { accountId: form.get('subject') ?? '' } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    return;
  }
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(
    '<!doctype html><html lang="en"><title>Test provider</title><form method="post">' +
      '<label>Subject <input name="subject"></label><button>Continue</button></form></html>',
  );
}
