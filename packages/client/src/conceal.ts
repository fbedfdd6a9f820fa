/** How Node asks an object what console.log shall show; browsers ignore it. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes an object show `summary` where it is printed or becomes part of a text. Its fields and its JSON stay as they
 * are: a session is relayed to the client as JSON, its secret included.
 */
export function conceal<T extends object>(value: T, summary: string): T {
  const show = { value: () => summary, enumerable: false };
  return Object.defineProperties(value, { toString: show, [INSPECT]: show });
}
