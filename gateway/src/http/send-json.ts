import type { Response } from 'express';
import { exchangeOf, rateHeaders } from './exchange.ts';

/** Headers of responses that must not be cached, because they depend on the caller or the time. */
export const NOT_STORED = { 'Cache-Control': 'no-store' } as const;

/**
 * Sends JSON. Does not use `response.json` of Express, because that function takes a tenth of the time of a whole
 * request. All headers are passed in one call of `writeHead`, because Node would copy each header that was set with an
 * earlier call.
 */
export function sendJson(response: Response, status: number, text: string, headers: Record<string, string>): void {
  sendText(response, status, text, { ...headers, 'Content-Type': 'application/json; charset=utf-8' });
}

/** Sends text. `headers` must contain the Content-Type. */
export function sendText(response: Response, status: number, text: string, headers: Record<string, string>): void {
  const bytes = Buffer.byteLength(text);
  response.writeHead(status, { ...commonHeaders(response), ...headers, 'Content-Length': bytes });
  // A response to HEAD has the headers of GET but no body. ASCII text has the same bytes in Latin-1 as in UTF-8, and
  // Node writes Latin-1 much faster.
  if (response.req.method === 'HEAD') response.end();
  else response.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

/** Starts a response of unknown length. `headers` must contain the Content-Type. */
export function startText(response: Response, status: number, headers: Record<string, string>): void {
  response.writeHead(status, { ...commonHeaders(response), ...headers });
}

/** Sends a response with status 204 and no body. */
export function sendNothing(response: Response): void {
  response.writeHead(204, { ...commonHeaders(response), ...NOT_STORED }).end();
}

function commonHeaders(response: Response): Record<string, string> {
  const { requestId, rates } = exchangeOf(response);
  return { 'X-Request-Id': requestId, ...(rates === undefined ? {} : rateHeaders(rates)) };
}
