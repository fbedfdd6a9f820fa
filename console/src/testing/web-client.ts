/** A response of a navigation, after all redirects. */
export interface Landing {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** A client that follows redirects and keeps cookies per origin, as a browser does for navigations. */
export interface WebClient {
  /**
   * Opens an address and follows redirects. Stops before a redirect whose target matches `until`, and returns the
   * target.
   */
  open: (url: string, options?: { form?: Record<string, string>; until?: RegExp }) => Promise<Landing>;
  /** Returns the cookies for an origin, as a Cookie header. */
  cookie: (origin: string) => string;
  setCookie: (origin: string, name: string, value: string) => void;
  /** Returns every Set-Cookie header that was received. */
  received: () => readonly string[];
}

const MAX_REDIRECTS = 20;

export function createWebClient(): WebClient {
  const jars = new Map<string, Map<string, string>>();
  const received: string[] = [];

  function jarOf(origin: string): Map<string, string> {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  }

  function keep(origin: string, lines: readonly string[]): void {
    received.push(...lines);
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '' || attributes.some(deletesCookie)) jarOf(origin).delete(name);
      else jarOf(origin).set(name, value);
    }
  }

  const cookie = (origin: string) => [...jarOf(origin)].map(([name, value]) => `${name}=${value}`).join('; ');

  return {
    cookie,
    setCookie: (origin, name, value) => void jarOf(origin).set(name, value),
    received: () => received,
    open: async (start, { form, until } = {}) => {
      let url = new URL(start);
      let body = form === undefined ? undefined : new URLSearchParams(form);
      for (let hops = 0; hops < MAX_REDIRECTS; hops++) {
        const response = await fetch(url, {
          method: body === undefined ? 'GET' : 'POST',
          redirect: 'manual',
          headers: { cookie: cookie(url.origin) },
          ...(body !== undefined && { body }),
        });
        body = undefined;
        keep(url.origin, response.headers.getSetCookie());
        const location = response.headers.get('location');
        const text = await response.text();
        if (location === null) return { url, status: response.status, text };
        url = new URL(location, url);
        if (until?.test(url.href) === true) return { url, status: response.status, text };
      }
      throw new Error('too many redirects');
    },
  };
}

/** Returns whether an attribute of Set-Cookie deletes the cookie: Max-Age=0, or Expires in 1970. */
function deletesCookie(attribute: string): boolean {
  return /^ *(max-age=0|expires=.* 1970 .*)$/i.test(attribute);
}

/** Opens the address that starts a sign-in, and signs a user in at the test provider. Returns the last page. */
export async function signInAs(client: WebClient, startUrl: string, subject: string): Promise<Landing> {
  const landed = await client.open(startUrl);
  // The provider shows no form if the client still has a session at the provider.
  if (!landed.url.pathname.startsWith('/interaction/')) return landed;
  return client.open(landed.url.href, { form: { subject } });
}
