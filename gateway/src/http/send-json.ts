import type { Response } from 'express';

/** Answers with JSON; what express does for it beyond this costs a tenth of a whole request. */
export function sendJson(response: Response, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  // The answer to HEAD has the headers of the one to GET and no body.
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
