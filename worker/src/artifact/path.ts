import { ArtifactError } from './error.ts';

const LONGEST = 1024;

/**
 * Returns the path of an archive entry, relative to the folder into which the archive is unpacked. Throws if the path
 * starts with `/`, has `..` as a part, contains a backslash or a zero byte, or is too long.
 */
export function safePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const leads = path.startsWith('/') || parts.includes('..') || /[\0\\]/.test(path) || path.length > LONGEST;
  if (leads)
    throw new ArtifactError(
      `the archive has an invalid path or one that leads out of it (${JSON.stringify(path.slice(0, LONGEST))})`,
    );
  return parts.join('/');
}
