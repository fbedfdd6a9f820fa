import type { Problem } from './validate.ts';

/**
 * Pattern of the texts that error messages may repeat. A client may send a secret in a wrong field by mistake. Complete
 * secrets of the service have at least 32 characters. The start of an API key (`svc_live_`) or of a session credential
 * (`svc.auth.`) is not repeated either, in case the client has truncated the secret.
 */
const QUOTABLE = /^(?!svc[_.])[\w.-]{0,31}$/;
/** Maximum number of characters of a list in an error message. */
const MAX_LIST_CHARACTERS = 40;

/** Formats a value for an error message. Undefined if the message must not contain the value. */
export function quote(value: unknown): string | undefined {
  if (typeof value === 'string') return QUOTABLE.test(value) ? `"${value}"` : undefined;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'number')) return undefined;
  const list = value.join(', ');
  return `[${list.length > MAX_LIST_CHARACTERS ? `${list.slice(0, MAX_LIST_CHARACTERS)}…` : list}]`;
}

/** Returns ` (received VALUE)` for the end of an error message. Empty if the message must not contain the value. */
export function receivedNote(value: unknown): string {
  const quoted = quote(value);
  return quoted === undefined ? '' : ` (received ${quoted})`;
}

/** Appends the wrong value to each message, unless `quote` refuses the value. `root` is the value that was checked. */
export function quoteValues(problems: readonly Problem[], root: unknown): Problem[] {
  return problems.map(({ field, message }) => {
    // The other messages are about missing and unknown fields, whose values are not wrong.
    const note = message.startsWith('must ') ? receivedNote(valueAt(root, field)) : '';
    return { field, message: message + note };
  });
}

/** Returns the value at a dotted path. Undefined if there is none. */
function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of path === '' ? [] : path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
