import { SESSION_CREDENTIAL_PREFIX } from '@svc-asr/core';

/**
 * Patterns of our secrets, and their replacements. Code must not log secrets in the first place. The patterns are for
 * messages of libraries, which may quote their input.
 */
const SECRETS: readonly [RegExp, string][] = [
  [/svc_live_v1_([0-9A-Za-z]{10})_[0-9A-Za-z]+/g, 'svc_live_v1_$1_[redacted]'],
  [
    new RegExp(`${SESSION_CREDENTIAL_PREFIX.replaceAll('.', '\\.')}[A-Za-z0-9_-]+`, 'g'),
    `${SESSION_CREDENTIAL_PREFIX}[redacted]`,
  ],
  [/\b(Bearer|Basic)(\s+)(?!\[redacted\])[A-Za-z0-9._~+/=-]{4,}/gi, '$1$2[redacted]'],
  [/(rediss?(?:\+sentinel)?:\/\/[^:/@\s]*:)[^@\s]+@/g, '$1[redacted]@'],
  [/(sentinel_password=)[^&,\s"]+/g, '$1[redacted]'],
];

/** Returns the text with secrets replaced. */
export function redact(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of SECRETS) clean = clean.replace(pattern, replacement);
  return clean;
}
