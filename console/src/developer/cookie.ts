import type { Request, Response } from 'express';

/**
 * Name of the cookie that holds the session. It is HttpOnly, so scripts cannot read it. With the prefix, browsers
 * accept it only over HTTPS and for exactly this host. Other hosts of the domain cannot set it.
 */
const SECURE_NAME = '__Host-svc_asr_console';
/** Name over plain HTTP, as in `npm start`. Not every browser accepts secure cookies from http://localhost. */
const PLAIN_NAME = 'svc_asr_console';

/** Returns the value of the cookie. Over HTTPS, only the cookie with the prefix `__Host-` counts. */
export function readCookie(request: Request): string | undefined {
  const name = nameFor(request);
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

export function writeCookie(request: Request, response: Response, value: string, lifetimeMs: number): void {
  const maxAgeS = Math.floor(lifetimeMs / 1000);
  response.append('Set-Cookie', `${nameFor(request)}=${value}; Max-Age=${maxAgeS}; ${attributes(request)}`);
}

export function clearCookie(request: Request, response: Response): void {
  response.append('Set-Cookie', `${nameFor(request)}=; Max-Age=0; ${attributes(request)}`);
}

function nameFor(request: Request): string {
  return isSecure(request) ? SECURE_NAME : PLAIN_NAME;
}

/**
 * Returns the attributes of the cookie. SameSite=Strict keeps browsers from sending it with requests that pages of
 * other sites start.
 */
function attributes(request: Request): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`;
}

/** Returns true over HTTPS, here or at a proxy. A client that sends a wrong protocol affects only its own cookie. */
function isSecure(request: Request): boolean {
  return request.secure || String(request.headers['x-forwarded-proto']).split(',')[0] === 'https';
}
