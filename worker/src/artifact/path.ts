import { ArtifactError } from './error.ts';

const LONGEST = 1024;

/** A path of an archive, relative to where it is unpacked; throws where it would lead out of there. */
export function safePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const leads = path.startsWith('/') || parts.includes('..') || /[\0\\]/.test(path) || path.length > LONGEST;
  if (leads)
    throw new ArtifactError(
      `the archive has a path that leads out of it, or is no path (${JSON.stringify(path.slice(0, LONGEST))})`,
    );
  return parts.join('/');
}
