import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { endAfterFile } from '../../../test/support/leftovers.ts';
import { eventually } from '../../../test/support/eventually.ts';

/** A mail that the server received. */
export interface ReceivedMail {
  readonly to: readonly string[];
  /** Header lines as they were sent, but with continuation lines joined. */
  readonly headers: string;
  readonly body: string;
}

/** A real SMTP server on loopback. It keeps the mails that it receives. */
export interface TestSmtp {
  readonly settings: Record<string, string>;
  readonly mails: readonly ReceivedMail[];
  /** Waits until an address has received at least `count` mails. Returns all mails to this address. */
  received: (address: string, count?: number) => Promise<readonly ReceivedMail[]>;
  stop: () => Promise<void>;
}

/** Starts the server. The server refuses recipients whose address contains `refused`. */
export async function startSmtp(): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: ({ address }, _session, done) =>
      done(address.includes('refused') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null),
    onData: (stream, { envelope }, done) => {
      void text(stream).then((raw) => {
        const at = raw.indexOf('\r\n\r\n');
        const headers = raw.slice(0, at).replace(/\r\n[ \t]+/g, ' ');
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), headers, body: decode(raw.slice(at + 4)) });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  endAfterFile(stop);
  const to = (address: string) => mails.filter((mail) => mail.to.includes(address));
  return {
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'Speech service <asr@example.org>',
      CONSOLE_URL: 'http://127.0.0.1:8444',
    },
    mails,
    received: async (address, count = 1) => {
      await eventually(`${count} mails to ${address}`, 30_000, () => to(address).length >= count);
      return to(address);
    },
    stop,
  };
}

/** Decodes quoted-printable text, which contains soft line breaks and encoded characters. */
function decode(body: string): string {
  return body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
