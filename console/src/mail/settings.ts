import { integer, text, url } from '@svc-asr/runtime';
import type { Setting } from '@svc-asr/runtime';

const smtpUrl: Setting<string> = {
  ...url('', ['smtp:', 'smtps:'], ''),
  description:
    'SMTP server for mail, such as smtps://user:password@mail.example. smtp:// uses STARTTLS if the server offers it. If empty, no mail is sent.',
  secret: true,
  read: (value) => (value === '' ? '' : url('', ['smtp:', 'smtps:']).read(value)),
};

/** Settings of mail. */
export const MAIL_SETTINGS = {
  SMTP_URL: smtpUrl,
  MAIL_FROM: text('Sender of mail, such as "Speech service <asr@example.org>". SMTP_URL requires it.', ''),
  MAILS_PER_HOUR: integer('Maximum mails to one address per hour. Further ones are not sent.', 10, 1, 100_000),
  MAIL_CHECK_MINUTES: integer(
    'Interval of the check for tenants with little credit and keys that expire soon. 0 turns it off.',
    15,
    0,
    1440,
  ),
} as const;
