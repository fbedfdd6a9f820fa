import type { Request } from 'express';
import { ConsoleError } from '../errors.ts';

/**
 * Rejects a write that a page of another site makes a browser send. Such a page could send the required header only if
 * the console allowed it, which it never does. Browsers also leave out SameSite cookies in such requests.
 */
export function checkSameOrigin({ method, headers }: Request): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, host } = headers;
  const isForeign = headers['sec-fetch-site'] === 'cross-site' || (origin !== undefined && !isOf(origin, host));
  if (isForeign) throw new ConsoleError('foreign_origin');
  if (headers['x-svc-asr-console'] !== '1') {
    throw new ConsoleError('foreign_origin', {
      message: 'The request does not come from the page of the console. Send the header "X-Svc-Asr-Console: 1".',
    });
  }
}

function isOf(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
