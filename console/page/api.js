/* global fetch */

/** What went wrong, in words for a person. */
export class Refused extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** Makes a function that asks below a path; `headers` gives what each request carries. */
export function createCall(base, headers = () => ({})) {
  return async (method, path, body) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = { method, headers: { ...headers(), ...json }, body: JSON.stringify(body) };
    const response = await fetch(`${base}/${path}`, request).catch(() => {
      throw new Refused('The console does not answer. Is there a network?', 'unreachable');
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw new Refused(answer.error?.message ?? `The console answered ${response.status}.`, answer.error?.code);
  };
}

/** Asks for the developer who is signed in. */
export const call = createCall('/console/v1');
