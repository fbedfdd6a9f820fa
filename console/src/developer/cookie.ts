import type { Request, Response } from 'express';

/** Name of the cookie that holds the session. It is HttpOnly, so scripts cannot read it. */
const NAME = 'svc_asr_console';

export function readCookie(request: Request): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
}

export function writeCookie(request: Request, response: Response, value: string, lifetimeMs: number): void {
  response.append('Set-Cookie', `${NAME}=${value}; Max-Age=${Math.floor(lifetimeMs / 1000)}; ${attributes(request)}`);
}

export function clearCookie(request: Request, response: Response): void {
  response.append('Set-Cookie', `${NAME}=; Max-Age=0; ${attributes(request)}`);
}

/** SameSite=Strict keeps browsers from sending the cookie with requests that pages of other sites start. */
function attributes(request: Request): string {
  // A client that sends a wrong protocol affects only its own cookie.
  const isSecure = request.secure || String(request.headers['x-forwarded-proto']).split(',')[0] === 'https';
  return `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}
