import { createLogger } from '@svc-asr/runtime';
import { openFileStore } from '../resources/file-store.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { startSmtp } from '../testing/smtp-server.ts';
import type { TestSmtp } from '../testing/smtp-server.ts';
import { createVisitor } from '../testing/visitor.ts';
import { checkMails } from './check.ts';
import type { MailCheckDeps } from './check.ts';
import { createMailer } from './mailer.ts';

const DAY_MS = 86_400_000;

let smtp: TestSmtp;
let console_: TestEnvironment;
beforeAll(async () => {
  smtp = await startSmtp();
  // The console runs no checks. The tests call `checkMails` instead.
  const env = { ...smtp.settings, MAIL_CHECK_MINUTES: '0', APPLICATIONS_PER_HOUR: '1000', MAILS_PER_HOUR: '1000' };
  console_ = await startTestEnvironment({ env, operator: true });
});
afterAll(async () => {
  await console_.stop();
  await smtp.stop();
});

let applicants = 0;
/** Creates a tenant whose application was approved with this credit. Returns its name and the address of its contact. */
async function approved(seconds: number): Promise<{ tenant: string; email: string }> {
  const email = `applicant-${++applicants}@example.org`;
  const visitor = createVisitor(console_.pageUrl);
  const { body } = await visitor.call('POST', 'applications', { name: 'Ada', email, use: 'Captions' });
  const tenant = String(body.tenant);
  const answer = await console_.call('POST', `/admin/v1/applications/${tenant}/approve`, {
    body: { audio_seconds: seconds },
  });
  expect(answer.body).toMatchObject({ mailed: true, link_to_send: 'http://127.0.0.1:8444/' });
  return { tenant, email };
}

/** Creates the dependencies of `checkMails`, as a console with the time `nowMs` has them. */
async function createDeps(nowMs = Date.now()): Promise<MailCheckDeps> {
  const logger = createLogger('console', 'silent');
  const settings = {
    SMTP_URL: String(smtp.settings.SMTP_URL),
    MAIL_FROM: String(smtp.settings.MAIL_FROM),
    CONSOLE_URL: String(smtp.settings.CONSOLE_URL),
    MAILS_PER_HOUR: 1000,
    MAIL_CHECK_MINUTES: 1,
  };
  const now = () => nowMs;
  const store = await openFileStore({ folder: console_.folder, readFolders: [], now });
  return { store, ledger: console_.ledger, mailer: createMailer({ settings, logger, now }), settings, logger, now };
}

const subjects = (email: string) =>
  smtp.mails.filter(({ to }) => to.includes(email)).map(({ headers }) => /^Subject: (.*)$/m.exec(headers)?.[1]);

test('an applicant gets a mail about the decision, with the reason of a decline', async () => {
  const { email } = await approved(3600);
  expect(subjects(email)).toEqual(['Ada is approved']);

  const visitor = createVisitor(console_.pageUrl);
  const body = { name: 'Eve', email: 'declined@example.org', use: 'x' };
  const { tenant } = (await visitor.call('POST', 'applications', body)).body;
  await console_.call('POST', `/admin/v1/applications/${tenant}/decline`, { body: { reason: 'No <capacity>' } });
  const [mail] = await smtp.received('declined@example.org');
  expect(mail?.body).toContain('Reason: No <capacity>');
  expect(mail?.body).toContain('Reason: No &lt;capacity&gt;');
});

test('two consoles that check credit at the same time send one mail about low credit, and one more mail if the next grant is too small', async () => {
  const { tenant, email } = await approved(30);
  const [one, other] = [await createDeps(), await createDeps()];
  await Promise.all([checkMails(one), checkMails(other)]);
  await checkMails(one);
  expect(subjects(email)).toEqual(['Ada is approved', 'Ada has little credit left']);
  await console_.call('POST', `/admin/v1/tenants/${tenant}/grants`, { body: { audio_seconds: 20 } });
  await checkMails(other);
  expect(subjects(email)).toHaveLength(3);
});

test('a tenant with enough credit gets no mail about its credit', async () => {
  const { email } = await approved(3600);
  await checkMails(await createDeps());
  expect(subjects(email)).toEqual(['Ada is approved']);
});

test('one mail is sent about a key that expires within 7 days, and no mail about a key that expires later', async () => {
  const { tenant, email } = await approved(3600);
  for (const [name, days] of [
    ['soon', 8],
    ['later', 30],
  ] as const) {
    await console_.call('POST', '/admin/v1/keys', { body: { tenant, name, expires_in_days: days } });
  }
  await checkMails(await createDeps());
  expect(subjects(email)).toHaveLength(1);
  const later = await createDeps(Date.now() + 2 * DAY_MS);
  await checkMails(later);
  await checkMails(later);
  expect(subjects(email)).toEqual(['Ada is approved', 'An API key of Ada expires soon']);
  const [, mail] = await smtp.received(email, 2);
  expect(mail?.body).toContain('soon (');
  expect(mail?.body).toMatch(/expires on \d{1,2} [A-Z][a-z]+ \d{4} at \d\d:\d\d UTC\./);
});

test('no mail is sent about a key that a rotation has replaced', async () => {
  const { tenant, email } = await approved(3600);
  const { body: link } = await console_.call('POST', `/admin/v1/tenants/${tenant}/link`);
  const developer = createVisitor(console_.pageUrl);
  await developer.call('POST', 'sign-in', { token: link.token });
  const created = await developer.call('POST', 'keys', { name: 'rotated' });
  const rotated = await developer.call('POST', `keys/${created.body.key_id}/rotate`, { overlap_hours: 24 });
  expect(rotated.status).toBe(201);
  await checkMails(await createDeps());
  expect(subjects(email)).toEqual(['Ada is approved']);
});
