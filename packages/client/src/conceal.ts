/** Key of the method that Node calls to print an object. Browsers ignore it. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes an object print as `summary`. Its fields and its JSON stay the same, because a session is sent to the client as
 * JSON with its secret.
 */
export function conceal<T extends object>(value: T, summary: string): T {
  const show = { value: () => summary, enumerable: false };
  return Object.defineProperties(value, { toString: show, [INSPECT]: show });
}
