/**
 * Reports whether one of the entries allows an image. An entry is a repository (with any tag or digest), a complete
 * reference, `PREFIX/*` for everything below a path, or `*` for every image. References are compared as they are
 * written: `worker` does not allow `docker.io/library/worker`.
 */
export function isAllowedImage(reference: string, entries: readonly string[]): boolean {
  return entries.some((entry) => {
    if (entry === '*') return true;
    if (entry.endsWith('/*')) return reference.startsWith(entry.slice(0, -1));
    return entry === reference || entry === repositoryOf(reference);
  });
}

/** Returns the repository of an image reference, without its tag and digest. */
export function repositoryOf(reference: string): string {
  const [name = ''] = reference.split('@');
  const tagAt = name.indexOf(':', name.lastIndexOf('/') + 1);
  return tagAt === -1 ? name : name.slice(0, tagAt);
}

/** Checks an entry of the list of allowed images and returns it. Throws if it has none of the known forms. */
export function checkImageEntry(entry: string): string {
  if (entry === '*' || /^[^\s*]+?(\/\*)?$/.test(entry)) return entry;
  throw new Error(`"${entry}" is neither an image nor a path that ends in /*`);
}
