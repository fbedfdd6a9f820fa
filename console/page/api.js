/** A failed request, with a message for the user. */
class RequestError extends Error {
  /**
   * @param {string} message
   * @param {string} code
   */
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/**
 * Creates a function that sends requests to paths below `base`. The caller declares the type of the response.
 *
 * @param {string} base
 * @param {() => Record<string, string>} headers called for each request
 * @returns {<T>(method: string, path: string, body?: unknown) => Promise<T>}
 */
export function createCall(base, headers = () => ({})) {
  return async (method, path, body) => {
    const json = body === undefined ? undefined : { 'content-type': 'application/json' };
    const request = {
      method,
      headers: { ...headers(), ...json },
      body: body === undefined ? null : JSON.stringify(body),
    };
    const response = await fetch(`${base}/${path}`, request).catch(() => {
      throw new RequestError('Cannot reach the console. Check your network connection and try again.', 'unreachable');
    });
    /** @type {unknown} */
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return /** @type {any} */ (answer);
    const { error = {} } = /** @type {{ error?: { message?: string, code?: string } }} */ (answer);
    const { message = `The console returned an error (HTTP ${response.status}). Try again.`, code = '' } = error;
    throw new RequestError(message, code);
  };
}

/** Sends a request as the signed-in developer. */
export const call = createCall('/console/v1');

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the error code of the API, or '' if the error is not one of a request.
 *
 * @param {unknown} error
 */
export function codeOf(error) {
  return error instanceof RequestError ? error.code : '';
}
