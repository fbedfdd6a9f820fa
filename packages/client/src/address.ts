const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns an address without trailing slashes. Throws if a request to the address would send a secret unencrypted over
 * a network. Also throws if the address has a part that may contain a secret.
 */
export function checkAddress(address: string, name: string): string {
  if (!URL.canParse(address)) throw new TypeError(`${name} is not a URL`);
  const url = new URL(address);
  const isPrivate = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!isPrivate)
    throw new TypeError(`${name} must start with https:// (http:// is allowed only for loopback addresses)`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError(`${name} must not contain a user, password, query or fragment`);
  }
  return url.href.replace(/\/+$/, '');
}
