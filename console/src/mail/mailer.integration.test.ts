import { createLogger } from '@svc-asr/runtime';
import { startSmtp } from '../testing/smtp-server.ts';
import type { TestSmtp } from '../testing/smtp-server.ts';
import { createMailer } from './mailer.ts';
import type { Mailer } from './mailer.ts';

let smtp: TestSmtp;
let mailer: Mailer;
let output = '';
const create = (settings: Record<string, string>, limit = 3) =>
  createMailer({
    settings: { ...(settings as { SMTP_URL: string; MAIL_FROM: string; CONSOLE_URL: string }), MAILS_PER_HOUR: limit },
    logger: createLogger('console', 'debug', { write: (line) => (output += line) }),
    now: Date.now,
  });

beforeAll(async () => {
  smtp = await startSmtp();
  mailer = create(smtp.settings);
});
afterAll(async () => {
  mailer.close();
  await smtp.stop();
});

const facts = {
  tenant: 'Acme',
  invitedBy: 'Grace',
  role: 'viewer',
  url: 'https://console.example/#invite=secret-token',
};

test('a mail has a plain text and an HTML part with the link', async () => {
  expect(await mailer.send('invited', 'a@example.org', facts)).toBe(true);
  const [mail] = await smtp.received('a@example.org');
  expect(mail?.headers).toMatch(/^From: Speech service <asr@example.org>$/m);
  expect(mail?.headers).toMatch(/^Subject: Grace invites you to Acme$/m);
  expect(mail?.headers).toMatch(/^Content-Type: multipart\/alternative;/m);
  expect(mail?.body).toContain('Accept the invitation: https://console.example/#invite=secret-token');
  expect(mail?.body).toContain('<a href="https://console.example/#invite=secret-token">Accept the invitation</a>');
});

test('a name with line breaks adds no header line and no recipient to a mail, and HTML in the name is escaped', async () => {
  const name = 'Eve\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>';
  expect(await mailer.send('invited', 'b@example.org', { ...facts, invitedBy: name, tenant: '<b>"Acme"</b>' })).toBe(
    true,
  );
  const [mail] = await smtp.received('b@example.org');
  expect(mail?.to).toEqual(['b@example.org']);
  expect(mail?.headers).not.toMatch(/^Bcc:/im);
  expect(mail?.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(mail?.body).toContain('&lt;b&gt;&quot;Acme&quot;&lt;/b&gt;');
  expect(mail?.body.split('text/html')[1]).not.toContain('<script>');
  expect(smtp.mails.some(({ to }) => to.includes('victim@example.org'))).toBe(false);
});

test.each([
  'a@example.org, b@example.org',
  'a@example.org\r\nBcc: c@example.org',
  'Eve <eve@example.org>',
  'a@example.org\n',
  '"a b"@example.org',
  'group: a@example.org;',
  'a',
  '',
])('the address %j gets no mail', async (address) => {
  const before = smtp.mails.length;
  expect(await mailer.send('invited', address, facts)).toBe(false);
  expect(smtp.mails).toHaveLength(before);
});

test('an address gets at most MAILS_PER_HOUR mails, even if its letter case varies', async () => {
  const results = [];
  for (const address of ['l@example.org', 'L@example.org', 'l@Example.org', 'l@example.org']) {
    results.push(await mailer.send('invited', address, facts));
  }
  expect(results).toEqual([true, true, true, false]);
  expect(await mailer.send('invited', 'other@example.org', facts)).toBe(true);
});

test('a mail that the mail server refuses is reported, and the log contains neither the address nor the link', async () => {
  expect(await mailer.send('invited', 'refused@example.org', facts)).toBe(false);
  expect(output).toContain('mail not sent, because the SMTP server failed');
  expect(output).not.toContain('refused@example.org');
  expect(output).not.toContain('secret-token');
});

test('a mailer without SMTP_URL sends nothing, and createMailer with SMTP_URL rejects incomplete settings', async () => {
  expect(await create({ SMTP_URL: '', MAIL_FROM: '', CONSOLE_URL: '' }).send('invited', 'x@example.org', facts)).toBe(
    false,
  );
  expect(() => create({ ...smtp.settings, MAIL_FROM: '' })).toThrow('MAIL_FROM');
  expect(() => create({ ...smtp.settings, MAIL_FROM: 'a@b\r\nBcc: c@d' })).toThrow('MAIL_FROM');
  expect(() => create({ ...smtp.settings, CONSOLE_URL: '' })).toThrow('CONSOLE_URL');
});
