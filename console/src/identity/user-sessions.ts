import { createHash, randomBytes } from 'node:crypto';
import type { ConsoleSessionRecord } from '@svc-asr/ledger';
import { equalTexts } from '@svc-asr/runtime';
import type { LedgerView } from '../ledger-view.ts';
import { digestOf } from '../resources/user-label.ts';
import type { UserIdentity } from '../resources/store.ts';

/**
 * Maximum lifetime of a session. After it, the user must sign in again, and the console reads the name and the e-mail
 * address of the user again.
 */
export const USER_SESSION_MS = 12 * 3_600_000;

const ID_BYTES = 8;
const SECRET_BYTES = 24;
const TOKEN = /^([0-9a-f]{40})\.([0-9a-f]{16})\.([\w-]{32})$/;

/** A user who is signed in with OpenID Connect. */
export interface SignedInUser extends UserIdentity {
  readonly name: string | null;
  readonly email: string | null;
  readonly expiresAtMs: number;
  /** Value for the cookie, which authenticates the session. */
  readonly token: string;
}

/** Sessions of developers, stored in Redis so that any of them can be revoked. */
export interface UserSessions {
  /** Starts a session. Returns the user with the token of the session. Redis has only a hash of the token. */
  start: (user: Pick<SignedInUser, 'issuer' | 'subject' | 'name' | 'email'>) => Promise<SignedInUser>;
  /** Returns the user of a token. Undefined if the session expired, was ended, or never existed. */
  find: (token: string) => Promise<SignedInUser | undefined>;
  end: (token: string) => Promise<void>;
  endAll: (user: UserIdentity) => Promise<void>;
}

/** Creates the sessions of developers. They need Redis: while it is unavailable, every function throws. */
export function createUserSessions(
  { consoleSessions }: Pick<LedgerView, 'consoleSessions'>,
  now: () => number,
): UserSessions {
  return {
    start: async ({ issuer, subject, name, email }) => {
      const user = digestOf({ issuer, subject });
      const id = randomBytes(ID_BYTES).toString('hex');
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      const nowMs = now();
      const expiresAtMs = nowMs + USER_SESSION_MS;
      const record: ConsoleSessionRecord = {
        secretHash: hashOf(secret),
        expiresAtMs,
        issuer,
        subject,
        name,
        email,
      };
      await consoleSessions.put(user, id, record, nowMs);
      return { issuer, subject, name, email, expiresAtMs, token: `${user}.${id}.${secret}` };
    },
    find: async (token) => {
      const [, user = '', id = '', secret = ''] = TOKEN.exec(token) ?? [];
      if (user === '') return undefined;
      const record = await consoleSessions.find(user, id);
      if (record === undefined || record.expiresAtMs <= now()) return undefined;
      if (!equalTexts(record.secretHash, hashOf(secret))) return undefined;
      const { issuer, subject, name, email, expiresAtMs } = record;
      return { issuer, subject, name, email, expiresAtMs, token };
    },
    end: async (token) => {
      const [, user = '', id = ''] = TOKEN.exec(token) ?? [];
      if (user !== '') await consoleSessions.end(user, id);
    },
    endAll: (user) => consoleSessions.endAll(digestOf(user)),
  };
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
