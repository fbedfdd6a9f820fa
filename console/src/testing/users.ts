import { freePort } from '../../../test/support/ports.ts';
import { startTestEnvironment } from './environment.ts';
import type { TestEnvironment } from './environment.ts';
import { startOpenidProvider } from './openid-provider.ts';
import type { OpenidProvider, TestUser } from './openid-provider.ts';
import { createVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';
import { createWebClient, signInAs } from './web-client.ts';

/** A console with an OpenID provider, and functions that create users and sign them in. */
export interface UserEnvironment extends TestEnvironment {
  readonly provider: OpenidProvider;
  /** Adds a user to the provider and returns the subject. */
  addUser: (user?: TestUser) => string;
  /** Signs a user in at the developers' page. Without a subject, first adds a new user to the provider. */
  signIn: (subject?: string) => Promise<Visitor>;
  /** Creates an approved tenant with its owner. */
  createTeam: () => Promise<{ tenant: string; owner: Visitor }>;
  /** Invites a new user into the tenant of `owner`, and accepts the invitation as this user. */
  join: (owner: Visitor, role: string) => Promise<Visitor>;
}

export const APPLICANT = { name: 'Grace', email: 'grace@example.org', organisation: 'Acme Radio', use: 'Captions' };

/**
 * Starts Redis, an OpenID provider, a console that uses both, and a substitute for the operator. If `operator` is
 * false, the substitute is not started. Tests that stop Redis use this.
 */
export async function startUserEnvironment(
  env: Record<string, string> = {},
  { operator = true } = {},
): Promise<UserEnvironment> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const [url, adminUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`];
  const provider = await startOpenidProvider([
    `${url}/console/v1/sign-in/callback`,
    `${adminUrl}/admin/v1/sign-in/callback`,
  ]);
  const environment = await startTestEnvironment({
    env: {
      ...provider.settings(url),
      CONSOLE_PORT: String(port),
      ADMIN_API_PORT: String(adminPort),
      ADMIN_CONSOLE_URL: adminUrl,
      APPLICATIONS_PER_HOUR: '1000',
      CACHE_MS: '0',
      ...env,
    },
    operator,
  });

  let users = 0;
  const addUser = (user: TestUser = {}) => {
    const subject = `user-${++users}`;
    provider.users.set(subject, { name: `User ${users}`, email: `${subject}@example.org`, ...user });
    return subject;
  };
  const signIn = async (subject = addUser()) => {
    const client = createWebClient();
    const { url: landed } = await signInAs(client, `${url}/console/v1/sign-in/oidc`, subject);
    if (landed.search !== '') throw new Error(`the sign-in ended at ${landed.href}: ${environment.output()}`);
    return createVisitor(url, client.cookie(url));
  };
  return {
    ...environment,
    provider,
    addUser,
    signIn,
    createTeam: async () => {
      const owner = await signIn();
      const applied = await owner.call('POST', 'applications', APPLICANT);
      const { tenant } = requireStatus(applied, 201).body as { tenant: string };
      requireStatus(await environment.call('POST', `/admin/v1/applications/${tenant}/approve`, { body: {} }), 200);
      return { tenant, owner };
    },
    join: async (owner, role) => {
      const invited = await owner.call('POST', 'invitations', { role });
      const { token } = requireStatus(invited, 201).body as { token: string };
      const member = await signIn();
      requireStatus(await member.call('POST', 'invitations/accept', { token }), 200);
      return member;
    },
  };
}

/** Returns the response if it has the expected status. Otherwise throws, so that the test fails at this request. */
function requireStatus<T extends { status: number; body: unknown }>(answer: T, status: number): T {
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}
