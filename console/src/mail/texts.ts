/** A mail without its recipient. */
export interface Mail {
  readonly subject: string;
  /** Paragraphs of plain text. */
  readonly paragraphs: readonly string[];
  /** Page that the mail links to. */
  readonly link?: { readonly text: string; readonly url: string };
}

/** Facts of each kind of mail. Names come from users and are escaped where the mail is built. */
export interface MailFacts {
  approved: { tenant: string; url: string };
  declined: { tenant: string; reason: string | null };
  invited: { tenant: string; invitedBy: string; role: string; url: string };
  creditLow: { tenant: string; left: string; url: string };
  keyExpires: { tenant: string; key: string; at: string; url: string };
}

export type MailKind = keyof MailFacts;

/** Texts of all mails. */
export const MAILS: { readonly [K in MailKind]: (facts: MailFacts[K]) => Mail } = {
  approved: ({ tenant, url }) => ({
    subject: `${tenant} is approved`,
    paragraphs: [
      `Your application for ${tenant} is approved.`,
      'Sign in to create an API key and to try the service in the playground.',
    ],
    link: { text: 'Open the console', url },
  }),
  declined: ({ tenant, reason }) => ({
    subject: `Your application for ${tenant}`,
    paragraphs: [
      `Your application for ${tenant} was declined.`,
      ...(reason === null ? [] : [`Reason: ${reason}`]),
      'Reply to this mail if you think that this is a mistake.',
    ],
  }),
  invited: ({ tenant, invitedBy, role, url }) => ({
    subject: `${invitedBy} invites you to ${tenant}`,
    paragraphs: [
      `${invitedBy} invites you to ${tenant} with the role ${role}.`,
      'The link works once, for 72 hours. Ignore this mail if you did not expect it.',
    ],
    link: { text: 'Accept the invitation', url },
  }),
  creditLow: ({ tenant, left, url }) => ({
    subject: `${tenant} has little credit left`,
    paragraphs: [
      `${tenant} has ${left} of audio left.`,
      'Without credit, new sessions are refused. You can ask for more on the overview page.',
    ],
    link: { text: 'Open the console', url },
  }),
  keyExpires: ({ tenant, key, at, url }) => ({
    subject: `An API key of ${tenant} expires soon`,
    paragraphs: [
      `The API key ${key} of ${tenant} expires on ${at}.`,
      'Rotate it before that time. Requests with an expired key are refused.',
    ],
    link: { text: 'Open the API keys', url },
  }),
};
