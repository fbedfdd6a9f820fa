import type { RequestHandler } from 'express';
import { ConsoleError } from '../errors.ts';

/**
 * Rejects writes that a browser sends for a page of another site. Browsers do not send the SameSite cookie then either;
 * this is a second line of defence.
 */
export const refuseForeignOrigin: RequestHandler = (request, _response, next) => {
  const { origin, host } = request.headers;
  const isForeign = request.headers['sec-fetch-site'] === 'cross-site' || (origin !== undefined && !isOf(origin, host));
  if (isForeign && request.method !== 'GET' && request.method !== 'HEAD') throw new ConsoleError('foreign_origin');
  next();
};

function isOf(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
