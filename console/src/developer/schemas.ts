import { KeyModels, KeyScopes, MemberRoleSchema, validator } from '@svc-asr/core';
import Type from 'typebox';
import { exact } from '../http/query.ts';

/** Character classes without control characters. Only `TEXT` allows line breaks and tabs. */
const TEXT = '[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]';
const LINE = '[^\\u0000-\\u001f\\u007f]';
const VISIBLE = '[^\\s\\u0000-\\u001f\\u007f]';
const EMAIL_PART = '[^\\s@<>".\\u0000-\\u001f\\u007f]';

/**
 * Builds the schema of a string that matches a pattern. The error describes the rule in words instead of quoting the
 * pattern.
 */
function stringMatching(pattern: string, maxLength: number, rule: string) {
  // At each position of a text, only one part of a pattern can match, so that no input makes the patterns slow.
  const expression = new RegExp(`^${pattern}$`);
  return Type.Refine(
    Type.String({ maxLength }),
    (value) => expression.test(value),
    () => rule,
  );
}

const label = stringMatching(`${LINE}*`, 200, 'must be one line without control characters');

const email = stringMatching(
  `${EMAIL_PART}+(\\.${EMAIL_PART}+)*@${EMAIL_PART}+(\\.${EMAIL_PART}+)+`,
  320,
  'must be an email address such as name@example.org',
);

/** Checks the body of an application for the waitlist. */
export const checkApplication = validator(
  exact({
    name: stringMatching(`[ ]*${VISIBLE}${LINE}*`, 200, 'must be one line of text without control characters'),
    email,
    organisation: Type.Optional(label),
    use: stringMatching(`[ \\t\\n]*${VISIBLE}${TEXT}*`, 4000, 'must be text without control characters'),
  }),
);

export const checkSignIn = validator(exact({ token: Type.String({ minLength: 1, maxLength: 256 }) }));

export const checkRoleChange = validator(exact({ role: MemberRoleSchema }));

export const checkInvitation = validator(exact({ role: MemberRoleSchema, email: Type.Optional(email) }));

export const checkTenantChoice = validator(exact({ tenant: Type.String({ minLength: 1, maxLength: 63 }) }));

export const checkCreditRequest = validator(
  exact({
    message: stringMatching(`[ \\t\\n]*${VISIBLE}${TEXT}*`, 1000, 'must be text without control characters'),
    audio_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  }),
);

/** The overlap is at most 30 days. */
export const checkRotation = validator(
  exact({ overlap_hours: Type.Integer({ minimum: 0, maximum: 720, default: 24 }) }),
);

export const checkOwnKey = validator(
  exact({
    name: Type.Optional(label),
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
    scopes: Type.Optional(KeyScopes),
    models: Type.Optional(KeyModels),
  }),
);
