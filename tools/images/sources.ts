import { fetchCudaWheels } from './cuda.ts';
import type { Sources } from './contents.ts';
import { fetchDebianPackages } from './debian.ts';
import { readLockfile } from './lockfile.ts';
import { fetchNode } from './node-binary.ts';
import type { Platform } from './platform.ts';
import { SYSTEM_PACKAGES } from './system-files.ts';

/** Gets what images for a platform are made of. */
export function fetchSources(root: string, platform: Platform, cuda: boolean): Sources {
  return {
    root,
    lockfile: readLockfile(root),
    debian: fetchDebianPackages(SYSTEM_PACKAGES, platform),
    node: fetchNode(platform),
    cuda: cuda ? fetchCudaWheels() : [],
  };
}
