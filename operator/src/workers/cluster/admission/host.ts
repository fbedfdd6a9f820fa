const HTTPS_PORT = '443';
const DEFAULT_REGISTRY = 'docker.io';

/** Returns `host:port` of an https URL. Undefined if it is not a URL. */
export function hostOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? HTTPS_PORT : port}`;
}

/** Returns `host:port` of the registry of an image reference. */
export function hostOfImage(reference: string): string {
  const [first = '', ...others] = reference.split('/');
  const isHost = others.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return withPort(isHost ? first : DEFAULT_REGISTRY);
}

/**
 * Reports whether one of the entries allows a `host:port`. An entry is `HOST`, `HOST:PORT`, `*.DOMAIN` or
 * `*.DOMAIN:PORT` (every host below the domain), or `*` for every host. An entry without a port allows port 443 only.
 */
export function isAllowedHost(host: string, entries: readonly string[]): boolean {
  const found = host.toLowerCase();
  return entries.some((entry) => {
    if (entry === '*') return true;
    const allowed = withPort(entry.toLowerCase());
    return allowed.startsWith('*.') ? found.endsWith(allowed.slice(1)) : found === allowed;
  });
}

/** Checks an entry of the list of allowed hosts and returns it. Throws if it has none of the known forms. */
export function checkHostEntry(entry: string): string {
  if (entry === '*' || /^(\*\.)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$/.test(entry)) return entry;
  throw new Error(`"${entry}" is not of the form HOST, HOST:PORT or *.DOMAIN`);
}

function withPort(host: string): string {
  return /:[0-9]+$/.test(host) ? host : `${host}:${HTTPS_PORT}`;
}
