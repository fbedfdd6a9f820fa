import type { KeyPairPem } from '../../../tools/start/certificates.ts';
import { send } from '../answer.ts';
import type { Answer } from '../answer.ts';

/** One request; `body` is sent as JSON, or as another type of patch. */
export type KubeRequest = (method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>;

/** Makes requests to a server that the authority vouches for; no other server can be mistaken for it. */
export function createRequest(url: string, ca: string, client: KeyPairPem): KubeRequest {
  return (method, path, body, contentType = 'application/json') => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': contentType };
    // A connection each: one that was kept may be dead after a restart of the server.
    return send(url + path, { method, headers, body, ca, ...client, agent: false });
  };
}

/** The body of an answer that must be a good one. */
export async function demand(answer: Answer | Promise<Answer>): Promise<unknown> {
  const { status, body, text } = await answer;
  if (status >= 200 && status < 300) return body;
  throw new Error(`the API server answered ${status}: ${text}`);
}
