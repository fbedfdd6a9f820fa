import { fetchCudaWheels } from './cuda.ts';
import type { Sources } from './contents.ts';
import { fetchDebianPackages } from './debian.ts';
import type { ServiceImage } from './image.ts';
import { fetchK6 } from './k6.ts';
import { readLockfile } from './lockfile.ts';
import { fetchNode } from './node-binary.ts';
import type { Platform } from './platform.ts';
import { SYSTEM_PACKAGES } from './system-files.ts';

/** Gets what an image for a platform is made of. */
export async function fetchSources(
  root: string,
  platform: Platform,
  { cuda, loadtests }: Pick<ServiceImage, 'cuda' | 'loadtests'>,
): Promise<Sources> {
  return {
    root,
    lockfile: readLockfile(root),
    debian: fetchDebianPackages(SYSTEM_PACKAGES, platform),
    node: fetchNode(platform),
    cuda: cuda ? fetchCudaWheels() : [],
    k6: loadtests ? await fetchK6(platform) : undefined,
  };
}
