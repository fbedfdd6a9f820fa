import { createTransport } from 'nodemailer';
import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import type { ConsoleSettings } from '../settings.ts';
import { buildMail } from './build.ts';
import { MAILS } from './texts.ts';
import type { MailFacts, MailKind } from './texts.ts';

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 10_000;
/** One address without a display name, comments or a second address. */
const ADDRESS = /^[^\s@<>"(),:;[\]\\\p{Cc}]+@[^\s@<>"(),:;[\]\\\p{Cc}]+$/u;
const MAX_ADDRESS_CHARACTERS = 320;

/** Sends mail. */
export interface Mailer {
  /**
   * Sends a mail. Returns false if it was not sent, because no SMTP server is configured or the address is not valid.
   * Also returns false if the limit of the address is reached or the SMTP server did not accept the mail. It never
   * throws.
   */
  send: <K extends MailKind>(kind: K, to: string | null | undefined, facts: MailFacts[K]) => Promise<boolean>;
  close: () => void;
}

export interface MailerOptions {
  readonly settings: Pick<ConsoleSettings, 'SMTP_URL' | 'MAIL_FROM' | 'MAILS_PER_HOUR' | 'CONSOLE_URL'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Creates the mailer. Without SMTP_URL it sends nothing. If SMTP_URL is set, throws if MAIL_FROM or CONSOLE_URL is
 * missing.
 */
export function createMailer({ settings, logger, now }: MailerOptions): Mailer {
  const { SMTP_URL: url, MAIL_FROM: from } = settings;
  if (url === '') return { send: () => Promise.resolve(false), close: () => undefined };
  if (from === '' || /\p{Cc}/u.test(from)) throw new Error('SMTP_URL is set, so set MAIL_FROM to one line too');
  if (settings.CONSOLE_URL === '') throw new Error('SMTP_URL is set, so set CONSOLE_URL too');
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // A mail consists of text. It never refers to files or URLs that the library would read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const sent = createAttemptLimiter(settings.MAILS_PER_HOUR, HOUR_MS);
  return {
    send: async (kind, to, facts) => {
      if (to === null || to === undefined || to.length > MAX_ADDRESS_CHARACTERS || !ADDRESS.test(to)) return false;
      const recipient = to.toLowerCase();
      if (sent.waitMs(recipient, now()) > 0) {
        logger.warn({ reason: kind }, 'mail not sent, because the address received too many in the last hour');
        return false;
      }
      sent.fail(recipient, now());
      try {
        const { subject, text, html } = buildMail(MAILS[kind](facts));
        // The library does not parse an address object, so no part of the address can become another recipient.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html });
        logger.info({ reason: kind }, 'mail sent');
        return true;
      } catch (error) {
        // The message of the server may quote the recipient, so only the code of the error is logged.
        const { code = 'unknown' } = error as { code?: string };
        logger.error({ reason: kind, code }, 'mail not sent, because the SMTP server failed');
        return false;
      }
    },
    close: () => transport.close(),
  };
}
