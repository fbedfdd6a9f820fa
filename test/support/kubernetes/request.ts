import { Agent } from 'node:https';
import type { KeyPairPem } from '../../../tools/start/certificates.ts';
import { send } from '../answer.ts';
import type { Answer } from '../answer.ts';

/** Sends a request. `body` is sent as JSON with the given content type. */
export type KubeRequest = (method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>;

/**
 * Creates a function that sends requests to one server. The server must have a certificate of this CA. Connections are
 * kept open.
 */
export function createRequest(url: string, ca: string, client: KeyPairPem): KubeRequest {
  const agent = new Agent({ keepAlive: true, ca, ...client });
  return (method, path, body, contentType = 'application/json') => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': contentType };
    return send(url + path, { method, headers, body, agent });
  };
}

/** Returns the body of a successful answer. Throws for any other status. */
export async function demand(answer: Answer | Promise<Answer>): Promise<unknown> {
  const { status, body, text } = await answer;
  if (status >= 200 && status < 300) return body;
  throw new Error(`the API server answered ${status}: ${text}`);
}
