/** Maximum length of a return path. It limits the size of the cookie in which the path is stored. */
const MAX_CHARACTERS = 512;
/** Origin that stands for the console. No real host has this name. */
const BASE = 'http://console.invalid';

/**
 * Returns the path of this console to open after a sign-in, or `/` if the given text is not such a path. Browsers treat
 * `\` like `/`, and remove tabs and line breaks. The path is checked again after URL normalization, because `/.//host`
 * becomes `//host`.
 */
export function safeReturnPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_CHARACTERS || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(given))
    return '/';
  if (!URL.canParse(given, BASE)) return '/';
  const { origin, pathname, search, hash } = new URL(given, BASE);
  const path = `${pathname}${search}${hash}`;
  // Normalization can make the path longer, because it encodes characters.
  return origin === BASE && path.length <= MAX_CHARACTERS && isLocal(path) ? path : '/';
}

/** Returns false if a browser could read the start of the path as a host, before or after it decodes the path once. */
function isLocal(path: string): boolean {
  const start = path.slice(0, 8).replace(/%2f/gi, '/').replace(/%5c/gi, '\\');
  return !/^[\\/]{2}/.test(start);
}
