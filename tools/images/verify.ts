import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, findOnPath } from '../install/system-package.ts';
import type { SystemPackage } from '../install/system-package.ts';
import { cacheFolder, fetchNode } from '../launch/node.mjs';
import { root, logProgress } from '../launch/terminal.mjs';
import type { BuiltImage } from './oci.ts';
import { platformOf } from './platform.ts';

const BUILDAH: SystemPackage<true> = {
  title: 'buildah',
  need: 'buildah with debootstrap',
  packages: { 'apt-get': ['buildah debootstrap'], dnf: ['buildah debootstrap'], apk: ['buildah debootstrap'] },
  find: () => ['buildah', 'debootstrap'].every((name) => findOnPath(name) !== undefined) || undefined,
};

/**
 * Builds the images from images/Dockerfile with buildah. Fails unless their files and configuration equal those of
 * `built`.
 */
export async function verifyImages(built: readonly BuiltImage[]): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new Error('--verify needs root: buildah changes the root folder for each command');
  await ensureInstalled(BUILDAH);
  const node = fetchNode('linux', process.arch);
  const cache = join(cacheFolder(), 'buildah');
  const [first] = built;
  if (first === undefined) return;
  const version = first.reference.slice(first.reference.lastIndexOf(':') + 1);
  const targets = built.map(({ title, file }) => `${title}=${file}`);
  logProgress('building the images with buildah and comparing them');
  // buildah runs in a mount namespace of its own, so that an interrupted build leaves no mounts.
  const { status } = spawnSync(
    'unshare',
    [
      '--mount',
      'sh',
      join(import.meta.dirname, 'verify.sh'),
      first.platform,
      platformOf(process.arch),
      version,
      node,
      ...targets,
    ],
    {
      cwd: root,
      env: { ...process.env, CACHE: cache },
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) throw new Error('an image of images/Dockerfile differs, or could not be built: see above');
}
