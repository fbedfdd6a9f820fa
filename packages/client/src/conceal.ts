/** Key of the method that Node calls to print an object. Browsers ignore it. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes an object print as `summary`, which hides the secret of a session in logs. The fields and the JSON of the
 * object stay the same, because a server sends the session with its secret to the client as JSON.
 */
export function conceal<T extends object>(value: T, summary: string): T {
  const show = { value: () => summary, enumerable: false };
  return Object.defineProperties(value, { toString: show, [INSPECT]: show });
}
