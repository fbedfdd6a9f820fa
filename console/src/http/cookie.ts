import type { Request, Response } from 'express';

/** A cookie of the console. It is HttpOnly, so scripts cannot read it. */
export interface Cookie {
  /** Returns the value of the cookie. Over HTTPS, only the cookie with the prefix `__Host-` counts. */
  read: (request: Request) => string | undefined;
  write: (request: Request, response: Response, value: string, lifetimeMs: number) => void;
  clear: (request: Request, response: Response) => void;
}

/**
 * Creates a cookie. Over HTTPS its name has the prefix `__Host-`. Browsers then accept it only over HTTPS and for
 * exactly this host, and other hosts of the domain cannot set it. Over plain HTTP, as in `npm start`, it has no prefix,
 * because not every browser accepts secure cookies from http://localhost.
 *
 * SameSite=Strict keeps browsers from sending it with requests that pages of other sites start. With Lax, browsers send
 * it if a user follows a link from another site.
 */
export function createCookie(name: string, sameSite: 'Strict' | 'Lax'): Cookie {
  const nameFor = (request: Request) => (isSecure(request) ? `__Host-${name}` : name);

  function set(request: Request, response: Response, value: string, maxAgeS: number): void {
    const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure(request) ? '; Secure' : ''}`;
    response.append('Set-Cookie', `${nameFor(request)}=${value}; Max-Age=${maxAgeS}; ${attributes}`);
  }

  return {
    read: (request) => {
      const start = `${nameFor(request)}=`;
      const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
    },
    write: (request, response, value, lifetimeMs) => set(request, response, value, Math.floor(lifetimeMs / 1000)),
    clear: (request, response) => set(request, response, '', 0),
  };
}

/**
 * Returns true if the request used HTTPS, to this port or to a proxy in front of it. A client that sends a wrong
 * X-Forwarded-Proto affects only its own cookie.
 */
function isSecure(request: Request): boolean {
  return request.secure || String(request.headers['x-forwarded-proto']).split(',')[0] === 'https';
}
