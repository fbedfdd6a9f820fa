import { TOKEN } from '../testing/console.ts';
import { createVisitor } from '../testing/visitor.ts';
import type { Visitor } from '../testing/visitor.ts';
import { APPLICANT, startUserEnvironment } from '../testing/users.ts';
import type { UserEnvironment } from '../testing/users.ts';
import { LEAST_ROLES } from './roles.ts';

/**
 * Requests of the developer API that need no role. They sign in, check the user themselves, or are open to every
 * visitor.
 */
const WITHOUT_ROLE = [
  'GET /console/v1/sign-in',
  'POST /console/v1/sign-in',
  'DELETE /console/v1/sign-in',
  'GET /console/v1/sign-in/oidc',
  'GET /console/v1/sign-in/callback',
  'GET /console/v1/session',
  'POST /console/v1/session/tenant',
  'DELETE /console/v1/session/all',
  'POST /console/v1/applications',
  'POST /console/v1/invitations/accept',
  'POST /console/v1/invitations/preview',
];

/** What happens to a request: `admitted`, or the code of the refusal. */
type Outcome = 'admitted' | 'not_signed_in' | 'no_account' | 'insufficient_role';

/** Callers and what each may do: a role, or the refusal that every request gets. */
const CALLERS = {
  'signed out': 'not_signed_in',
  'an administrator with the admin token': 'not_signed_in',
  'a user without a tenant': 'no_account',
  'a viewer': 'viewer',
  'a developer': 'developer',
  'an owner': 'owner',
  'a private link': 'owner',
} as const;
type Caller = keyof typeof CALLERS;

const ROLES = ['viewer', 'developer', 'owner'];

let users: UserEnvironment;
let team: { owner: Visitor; developer: Visitor; viewer: Visitor; other: Visitor };

beforeAll(async () => {
  users = await startUserEnvironment();
  const { owner } = await users.createTeam();
  team = {
    owner,
    developer: await users.join(owner, 'developer'),
    viewer: await users.join(owner, 'viewer'),
    other: await users.signIn(),
  };
});
afterAll(() => users.stop());

async function visitorOf(caller: Caller): Promise<Visitor> {
  switch (caller) {
    case 'signed out':
    case 'an administrator with the admin token':
      return createVisitor(users.pageUrl);
    case 'a user without a tenant':
      return team.other;
    case 'a viewer':
      return team.viewer;
    case 'a developer':
      return team.developer;
    case 'an owner':
      return team.owner;
    case 'a private link': {
      // Each request gets a new visitor with a new link, because some requests revoke the link.
      const visitor = createVisitor(users.pageUrl);
      await visitor.call('POST', 'applications', APPLICANT);
      return visitor;
    }
  }
}

function expectedOutcome(caller: Caller, least: string): Outcome {
  const may = CALLERS[caller];
  if (may === 'not_signed_in' || may === 'no_account') return may;
  return ROLES.indexOf(may) >= ROLES.indexOf(least) ? 'admitted' : 'insufficient_role';
}

/** Sends the request with an unknown field and unknown ids, so that an admitted request changes little. */
async function outcomeOf(caller: Caller, request: string): Promise<Outcome> {
  const [method = '', path = ''] = request.split(' ');
  const visitor = await visitorOf(caller);
  const headers = caller === 'an administrator with the admin token' ? { authorization: `Bearer ${TOKEN}` } : undefined;
  const body = method === 'GET' ? undefined : { unknown: true };
  const target = path.replace('/console/v1/', '').replaceAll('*', 'unknown');
  const { body: answer } = await visitor.call(method, target, body, headers);
  const code: unknown = answer?.error?.code;
  return code === 'not_signed_in' || code === 'no_account' || code === 'insufficient_role' ? code : 'admitted';
}

/** Returns the requests of the developer API, with `*` for each parameter. */
function listRequests(): string[] {
  const requests = users.routes.developer.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  return requests.filter((request) => request.includes('/console/v1/')).map((request) => request.replace(/:\w+/g, '*'));
}

test('LEAST_ROLES and WITHOUT_ROLE together list exactly the requests of the developer API', () => {
  const known = [...Object.keys(LEAST_ROLES), ...WITHOUT_ROLE];
  expect([...new Set(listRequests())].sort()).toEqual(known.sort());
});

describe.each(Object.keys(CALLERS) as Caller[])('caller: %s', (caller) => {
  test.each(Object.entries(LEAST_ROLES))(
    'may send the request %s, which requires the role %s, only with that role or a higher one',
    async (request, least) => {
      expect(await outcomeOf(caller, request)).toBe(expectedOutcome(caller, least));
    },
  );
});

test.each(['viewer', 'developer', 'owner', 'other'] as const)(
  'the admin API refuses the console session of the user %j',
  async (name) => {
    const answer = await users.call('GET', '/admin/v1/tenants', {
      token: null,
      headers: { cookie: team[name].cookie() },
    });
    expect([answer.status, answer.body.error.code]).toEqual([401, 'missing_admin_token']);
  },
);
