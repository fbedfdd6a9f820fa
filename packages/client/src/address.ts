const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** A base address without a slash at its end; refuses one that would send a secret in the clear or holds one. */
export function checkAddress(address: string, name: string): string {
  if (!URL.canParse(address)) throw new TypeError(`${name} is not a URL`);
  const url = new URL(address);
  const isPrivate = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!isPrivate) throw new TypeError(`${name} must begin with https:// (http:// only for the loopback address)`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError(`${name} must have no user, password, query or fragment`);
  }
  return url.href.replace(/\/+$/, '');
}
