import type { IncomingMessage } from 'node:http';

/** Reads a request that was written as text: a request line, and lines with headers. Names may repeat. */
export function readRequest(input: Buffer): IncomingMessage {
  const [start = '', ...lines] = input.toString('latin1').split('\n');
  const [method, url] = start.split(' ');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    // Node joins repeated headers in the same way.
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { method, url, headers } as unknown as IncomingMessage;
}
