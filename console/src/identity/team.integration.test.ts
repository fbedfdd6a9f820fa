import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { API_VERSION } from '@svc-asr/core';
import { createVisitor } from '../testing/visitor.ts';
import type { Visitor } from '../testing/visitor.ts';
import { APPLICANT, startUserEnvironment } from '../testing/users.ts';
import type { UserEnvironment } from '../testing/users.ts';

let users: UserEnvironment;
beforeAll(async () => (users = await startUserEnvironment({ SIGN_IN_FAILURES_PER_MINUTE: '1000' })));
afterAll(() => users.stop());

const members = async (visitor: Visitor) => (await visitor.call('GET', 'members')).body.data;
const idOf = async (visitor: Visitor): Promise<string> =>
  (await members(visitor)).find(({ is_you }: { is_you: boolean }) => is_you).id;

test('a user whom an owner invites by link can accept the invitation only once and becomes a member with the offered role', async () => {
  const { owner, tenant } = await users.createTeam();
  const invited = await owner.call('POST', 'invitations', { role: 'developer', email: 'ada@example.org' });
  expect(invited.status).toBe(201);
  expect(invited.body).toMatchObject({ role: 'developer', email: 'ada@example.org' });
  expect(invited.body.path).toBe(`/#invite=${invited.body.token}`);
  const leftMs = Date.parse(invited.body.invitation.expires_at) - Date.now();
  expect(leftMs).toBeLessThanOrEqual(72 * 3_600_000);
  expect(leftMs).toBeGreaterThan(71 * 3_600_000);

  const ada = await users.signIn(users.addUser({ name: 'Ada' }));
  const accepted = await ada.call('POST', 'invitations/accept', { token: invited.body.token });
  expect([accepted.status, accepted.body.role]).toEqual([200, 'developer']);
  expect((await ada.call('GET', 'session')).body).toMatchObject({ tenant, role: 'developer' });
  expect(await members(owner)).toMatchObject([
    { name: 'Ada', role: 'developer', invitation: null, is_you: false },
    { role: 'owner', is_you: true },
  ]);

  const again = await (await users.signIn()).call('POST', 'invitations/accept', { token: invited.body.token });
  expect([again.status, again.body.error.code]).toEqual([404, 'invitation_not_found']);
});

test('if two users accept one invitation at the same time, only one of them becomes a member', async () => {
  const { owner } = await users.createTeam();
  const { token } = (await owner.call('POST', 'invitations', { role: 'viewer' })).body;
  const both = [await users.signIn(), await users.signIn()];
  const answers = await Promise.all(both.map((visitor) => visitor.call('POST', 'invitations/accept', { token })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  expect(await members(owner)).toHaveLength(2);
});

test('an invitation stores only a hash of its token', async () => {
  const { owner } = await users.createTeam();
  const { token, id } = (await owner.call('POST', 'invitations', { role: 'viewer' })).body;
  const stored = readFileSync(joinPath(users.folder, `member-${id}.yaml`), 'utf8');
  expect(stored).toMatch(/hash: [0-9a-f]{64}/);
  expect(stored).not.toContain(token.split('.')[1]);
  expect(users.output()).not.toContain(token.split('.')[1]);
});

test('the holder of an invitation can read its tenant, inviter and role without a sign-in, until the invitation is accepted', async () => {
  const { owner } = await users.createTeam();
  const sender = (await owner.call('GET', 'session')).body.person.name;
  const { token } = (await owner.call('POST', 'invitations', { role: 'developer' })).body;
  const holder = createVisitor(users.pageUrl);
  const { status, body } = await holder.call('POST', 'invitations/preview', { token });
  expect(status).toBe(200);
  expect(body).toMatchObject({ tenant: 'Acme Radio', invited_by: sender, role: 'developer' });
  const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  expect((await holder.call('POST', 'invitations/preview', { token: wrong })).status).toBe(404);
  await (await users.signIn()).call('POST', 'invitations/accept', { token });
  expect((await holder.call('POST', 'invitations/preview', { token })).status).toBe(404);
});

test('a withdrawn invitation and a wrong token are refused', async () => {
  const { owner } = await users.createTeam();
  const { token, id } = (await owner.call('POST', 'invitations', { role: 'viewer' })).body;
  const user = await users.signIn();
  const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  expect((await user.call('POST', 'invitations/accept', { token: wrong })).status).toBe(404);
  expect((await owner.call('DELETE', `invitations/${id}`)).status).toBe(200);
  expect((await user.call('POST', 'invitations/accept', { token })).status).toBe(404);
  expect((await user.call('POST', 'invitations/accept', { token: 'x' })).status).toBe(404);
});

/** Writes a Member as the console does. */
function writeMember(name: string, spec: object): void {
  const resource = { apiVersion: API_VERSION, kind: 'Member', metadata: { name }, spec };
  writeFileSync(joinPath(users.folder, `member-${name}.yaml`), JSON.stringify(resource));
}

test('a new invitation deletes expired invitations, which do not count against the limit', async () => {
  const { owner, tenant } = await users.createTeam();
  const names = Array.from({ length: 99 }, (_, at) => `m${String(at).padStart(16, '0')}`);
  const write = (expiresAt: string) => {
    const invitation = { hash: 'a'.repeat(64), pepperId: 'p1', expiresAt, invitedBy: 'Grace' };
    for (const name of names) writeMember(name, { tenant, role: 'viewer', invitation });
  };
  write('2999-01-01T00:00:00Z');
  const refused = await owner.call('POST', 'invitations', { role: 'viewer' });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'too_many_members']);
  write('2026-01-01T00:00:00Z');
  expect((await owner.call('POST', 'invitations', { role: 'viewer' })).status).toBe(201);
  expect(names.filter((name) => existsSync(joinPath(users.folder, `member-${name}.yaml`)))).toEqual([]);
});

test('a browser that is signed out or signed in with a private link cannot accept an invitation', async () => {
  const { owner } = await users.createTeam();
  const { token } = (await owner.call('POST', 'invitations', { role: 'viewer' })).body;
  const link = createVisitor(users.pageUrl);
  expect((await link.call('POST', 'invitations/accept', { token })).status).toBe(401);
  await link.call('POST', 'applications', APPLICANT);
  expect((await link.call('POST', 'invitations/accept', { token })).status).toBe(401);
});

test('a member cannot accept another invitation to the same tenant, and the invitation stays valid', async () => {
  const { owner } = await users.createTeam();
  const { token } = (await owner.call('POST', 'invitations', { role: 'viewer' })).body;
  const refused = await owner.call('POST', 'invitations/accept', { token });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'already_member']);
  expect((await (await users.signIn()).call('POST', 'invitations/accept', { token })).status).toBe(200);
});

test('if an owner changes the role of a member, the new role applies to the next request of the member', async () => {
  const { owner } = await users.createTeam();
  const member = await users.join(owner, 'viewer');
  expect((await member.call('POST', 'keys', {})).status).toBe(403);
  const changed = await owner.call('PATCH', `members/${await idOf(member)}`, { role: 'developer' });
  expect([changed.status, changed.body.role]).toEqual([200, 'developer']);
  expect((await member.call('POST', 'keys', {})).status).toBe(201);
});

test('a request whose header names another tenant than the session is refused', async () => {
  const { owner, tenant } = await users.createTeam();
  const named = (name: string) => ({ 'x-svc-asr-tenant': name });
  const refused = await owner.call('POST', 'keys', { name: 'a' }, named('another'));
  expect([refused.status, refused.body.error.code]).toEqual([409, 'other_tenant']);
  expect((await owner.call('GET', 'keys', undefined, named('another'))).status).toBe(409);
  expect((await owner.call('POST', 'keys', { name: 'b' }, named(tenant))).status).toBe(201);
  expect((await owner.call('GET', 'keys')).body.data).toMatchObject([{ name: 'b' }]);
});

test('a removed member loses access with the next request, and stays signed in without a tenant', async () => {
  const { owner } = await users.createTeam();
  const member = await users.join(owner, 'developer');
  expect((await owner.call('DELETE', `members/${await idOf(member)}`)).status).toBe(200);
  expect((await member.call('GET', 'account')).body.error.code).toBe('no_account');
  expect((await member.call('GET', 'session')).body).toMatchObject({ tenant: null, tenants: [] });
});

test('the last owner can be neither removed nor demoted, and one of two owners can be demoted', async () => {
  const { owner } = await users.createTeam();
  const id = await idOf(owner);
  for (const answer of [
    await owner.call('PATCH', `members/${id}`, { role: 'viewer' }),
    await owner.call('DELETE', `members/${id}`),
  ]) {
    expect([answer.status, answer.body.error.code]).toEqual([409, 'last_owner']);
  }
  const second = await users.join(owner, 'owner');
  expect((await second.call('PATCH', `members/${id}`, { role: 'viewer' })).status).toBe(200);
  expect((await second.call('DELETE', `members/${await idOf(second)}`)).status).toBe(409);
});

test('if two owners demote each other at the same time, one of them stays owner', async () => {
  const { owner } = await users.createTeam();
  const second = await users.join(owner, 'owner');
  const [first, other] = [await idOf(owner), await idOf(second)];
  const answers = await Promise.all([
    owner.call('PATCH', `members/${other}`, { role: 'viewer' }),
    second.call('PATCH', `members/${first}`, { role: 'viewer' }),
  ]);
  const roles = (await members(owner)).map(({ role }: { role: string }) => role);
  expect(roles.filter((role: string) => role === 'owner')).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('invitations by an owner who was later removed, or demoted below the role of the invitation, are refused and no longer listed', async () => {
  const { owner } = await users.createTeam();
  const [removed, demoted] = [await users.join(owner, 'owner'), await users.join(owner, 'owner')];
  const invite = async (inviter: Visitor): Promise<string> =>
    (await inviter.call('POST', 'invitations', { role: 'developer' })).body.token;
  const tokens = [await invite(removed), await invite(demoted)];
  expect((await owner.call('DELETE', `members/${await idOf(removed)}`)).status).toBe(200);
  await owner.call('PATCH', `members/${await idOf(demoted)}`, { role: 'viewer' });
  for (const token of tokens) {
    const refused = await removed.call('POST', 'invitations/accept', { token });
    expect([refused.status, refused.body.error.code]).toEqual([404, 'invitation_not_found']);
  }
  expect((await members(owner)).filter(({ invitation }: { invitation: unknown }) => invitation !== null)).toEqual([]);
});

test('a user who accepts two invitations of a tenant at the same time becomes a member only once', async () => {
  const { owner } = await users.createTeam();
  const user = await users.signIn();
  const tokens: string[] = [];
  for (const role of ['viewer', 'developer']) {
    tokens.push((await owner.call('POST', 'invitations', { role })).body.token);
  }
  const answers = await Promise.all(tokens.map((token) => user.call('POST', 'invitations/accept', { token })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('if two Member resources name the same user, a change of the role applies to both', async () => {
  const { owner, tenant } = await users.createTeam();
  const subject = users.addUser();
  const issuer = users.provider.settings('').OIDC_ISSUER;
  for (const name of ['mtwice1', 'mtwice2']) writeMember(name, { tenant, role: 'developer', issuer, subject });
  const member = await users.signIn(subject);
  expect((await owner.call('PATCH', `members/${await idOf(member)}`, { role: 'viewer' })).body.role).toBe('viewer');
  expect((await members(owner)).map(({ role }: { role: string }) => role).sort()).toEqual([
    'owner',
    'viewer',
    'viewer',
  ]);
  expect((await owner.call('DELETE', `members/${await idOf(member)}`)).status).toBe(200);
  expect((await member.call('GET', 'account')).body.error.code).toBe('no_account');
});

test('an owner cannot change members and invitations of another tenant', async () => {
  const [own, other] = [await users.createTeam(), await users.createTeam()];
  const { id } = (await other.owner.call('POST', 'invitations', { role: 'viewer' })).body;
  const member = await idOf(other.owner);
  expect((await own.owner.call('DELETE', `invitations/${id}`)).status).toBe(404);
  expect((await own.owner.call('DELETE', `members/${member}`)).status).toBe(404);
  expect((await own.owner.call('PATCH', `members/${member}`, { role: 'viewer' })).status).toBe(404);
});

test('deleting a tenant deletes its members and invitations', async () => {
  const { owner, tenant } = await users.createTeam();
  await users.join(owner, 'viewer');
  expect(await owner.call('POST', 'invitations', { role: 'viewer' })).toMatchObject({ status: 201 });
  const count = () =>
    readdirSync(users.folder).filter(
      (file) =>
        file.startsWith('member-') &&
        readFileSync(joinPath(users.folder, file), 'utf8').includes(`tenant: ${tenant}\n`),
    ).length;
  expect(count()).toBe(3);
  await users.call('DELETE', `/admin/v1/tenants/${tenant}`);
  expect(count()).toBe(0);
  expect((await owner.call('GET', 'session')).body).toMatchObject({ tenant: null });
});

test('repeated DELETE link requests for a tenant without a link add one entry to the audit log in total, and the 12th request in an hour returns 429', async () => {
  const { owner, tenant } = await users.createTeam();
  const statuses = [];
  for (let at = 0; at < 12; at++) statuses.push((await owner.call('DELETE', 'link')).status);
  expect(statuses).toEqual([...Array<number>(11).fill(200), 429]);
  const { body } = await users.call('GET', `/admin/v1/audit?tenant=${tenant}&action=link.revoke`);
  expect(body.data).toHaveLength(1);
});
