import { ERRORS } from '../../errors.ts';
import type { ErrorCode } from '../../errors.ts';
import { REMEDIES } from '../remedies.ts';

/** The errors section: every code that the HTTP API answers, from the catalogue. */
export function errorsGuide(): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, type } = ERRORS[code];
    return `| ${status} | \`${code}\` | \`${type}\` | ${REMEDIES[code]} |`;
  });
  return `## Errors

Every error has the same body: \`{"error": {"type", "code", "message", "request_id"}}\`. Decide by \`code\`, which is stable; \`type\` names the class and belongs to the status; \`message\` is for a person, safe to show, and may change. Keep \`request_id\` (also in the header \`X-Request-Id\`) for support, and never send keys or credentials there.

| status | code | type | what to do |
|---|---|---|---|
${rows.join('\n')}
`;
}
