import type { Answer } from './console.ts';

/** A client of the developer API that keeps the cookie as a browser does. */
export interface Visitor {
  /** Sends a request to a path below /console/v1/. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  /** Returns the cookie that the next request sends. */
  cookie: () => string;
}

/** Creates a visitor. Its first request sends the cookie `given`, for example one that another visitor received. */
export function createVisitor(pageUrl: string, given = ''): Visitor {
  let cookie = given;
  return {
    cookie: () => cookie,
    call: async (method, path, body, headers = {}) => {
      const response = await fetch(`${pageUrl}/console/v1/${path}`, {
        method,
        headers: {
          'x-svc-asr-console': '1',
          ...(cookie !== '' && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const received = response.headers.get('set-cookie');
      if (received !== null) cookie = received.split(';')[0] ?? '';
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        ...(JSON.parse(`{"body":${text}}`) as Pick<Answer, 'body'>),
      };
    },
  };
}
