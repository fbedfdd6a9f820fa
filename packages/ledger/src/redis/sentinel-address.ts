/** Host and port of a server. */
export interface ServerAddress {
  host: string;
  port: number;
}

/** Content of a REDIS_URL that names the sentinels of a replicated Redis. */
export interface SentinelUrl {
  sentinels: readonly ServerAddress[];
  /** Name under which the sentinels monitor the primary. */
  primaryName: string;
  /** True if sentinels and Redis servers use TLS. */
  tls: boolean;
  /** User of the Redis servers. */
  user: User;
  /** User of the sentinels. */
  sentinelUser: User;
}

export interface User {
  username?: string;
  password?: string;
}

const SCHEMES = ['redis+sentinel:', 'rediss+sentinel:'];
/** Default port of a sentinel. */
export const SENTINEL_PORT = 26_379;
const EXAMPLE = 'rediss+sentinel://USER:PASSWORD@HOST:26379/PRIMARY?sentinel_username=USER&sentinel_password=PASSWORD';

/** Returns true if an address of a REDIS_URL names a sentinel. */
export function isSentinelAddress(address: string): boolean {
  return SCHEMES.some((scheme) => address.startsWith(`${scheme}//`));
}

/**
 * Parses the addresses of a REDIS_URL. The first address has the users and passwords, which apply to all servers. The
 * addresses are not part of error messages, because they may have passwords.
 */
export function parseSentinelUrl(addresses: readonly string[]): SentinelUrl {
  const urls = addresses.map((address) => {
    if (!URL.canParse(address)) throw new Error(`An address in REDIS_URL cannot be parsed. Use the form ${EXAMPLE}`);
    return new URL(address);
  });
  const [scheme = '', ...otherSchemes] = new Set(urls.map(({ protocol }) => protocol));
  if (otherSchemes.length > 0) throw new Error('All addresses in REDIS_URL must have the same scheme');
  const [primaryName = '', ...otherNames] = new Set(urls.map(({ pathname }) => decodeURIComponent(pathname.slice(1))));
  if (primaryName === '' || otherNames.length > 0) {
    throw new Error(`Each address of a sentinel in REDIS_URL must have the name of the same primary: ${EXAMPLE}`);
  }
  const [{ username, password, searchParams } = new URL('redis://')] = urls;
  return {
    sentinels: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? SENTINEL_PORT : Number(port),
    })),
    primaryName,
    tls: scheme === 'rediss+sentinel:',
    user: buildUser(decodeURIComponent(username), decodeURIComponent(password)),
    sentinelUser: buildUser(searchParams.get('sentinel_username') ?? '', searchParams.get('sentinel_password') ?? ''),
  };
}

function buildUser(username: string, password: string): User {
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}
