/**
 * Returns the address that starts a sign-in with the identity provider. After the sign-in, the browser returns to the
 * page that it shows now.
 */
export function withReturnPath(startPath: string): string {
  const here = `${location.pathname}${location.search}`;
  return here === '/' ? startPath : `${startPath}?${new URLSearchParams({ return_to: here }).toString()}`;
}
