/** Returns the address of a sign-in with the identity provider that leads back to the shown page. */
export function withReturnPath(startPath: string): string {
  const here = `${location.pathname}${location.search}`;
  return here === '/' ? startPath : `${startPath}?${new URLSearchParams({ return_to: here }).toString()}`;
}
