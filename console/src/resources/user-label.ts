import { createHash } from 'node:crypto';
import { API_GROUP } from '@svc-asr/core';
import type { Member } from '@svc-asr/core';
import type { UserIdentity } from './store.ts';

/** Label of a Member with a digest of its user. With it, the API server can list the Members of one user. */
export const USER_LABEL = `${API_GROUP}/user`;

const DIGEST_CHARACTERS = 40;

/** Returns a digest that identifies a user. It fits into a label value and a Redis key. */
export function digestOf({ issuer, subject }: UserIdentity): string {
  // No issuer contains a line break, so two different users never have the same text.
  return createHash('sha256').update(`${issuer}\n${subject}`).digest('hex').slice(0, DIGEST_CHARACTERS);
}

/** Returns true if the resource makes the user a member. A pending invitation makes no user a member. */
export function isMemberFor({ spec }: Member, { issuer, subject }: UserIdentity): boolean {
  return spec.issuer === issuer && spec.subject === subject;
}
