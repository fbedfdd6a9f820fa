/** Returns the address that starts a sign-in with the identity provider. The sign-in then leads to the shown page. */
export function withReturnPath(startPath: string): string {
  const here = `${location.pathname}${location.search}`;
  return here === '/' ? startPath : `${startPath}?${new URLSearchParams({ return_to: here }).toString()}`;
}
