/* global fetch */

/** What went wrong, in words for a person. */
export class Refused extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** Asks the console. */
export async function call(method, path, body) {
  let response;
  try {
    response = await fetch(`/console/v1/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  } catch {
    throw new Refused('The console does not answer. Is there a network?', 'unreachable');
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Refused(answer.error?.message ?? `The console answered ${response.status}.`, answer.error?.code);
}
