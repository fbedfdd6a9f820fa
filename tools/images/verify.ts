import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, findOnPath } from '../install/system-package.ts';
import type { SystemPackage } from '../install/system-package.ts';
import { cacheFolder, fetchNode } from '../launch/node.mjs';
import { root, say } from '../launch/terminal.mjs';
import type { BuiltImage } from './oci.ts';

const BUILDAH: SystemPackage<true> = {
  title: 'buildah',
  need: 'buildah with debootstrap',
  packages: { 'apt-get': ['buildah debootstrap'], dnf: ['buildah debootstrap'], apk: ['buildah debootstrap'] },
  find: () => ['buildah', 'debootstrap'].every((name) => findOnPath(name) !== undefined) || undefined,
};

/** Builds the images from images/Dockerfile with buildah, and fails unless they have the same files and configuration. */
export async function verifyImages(built: readonly BuiltImage[]): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new Error('--verify needs root: buildah changes the root folder for each command');
  await ensureInstalled(BUILDAH);
  const node = fetchNode('linux', process.arch);
  const cache = join(cacheFolder(), 'buildah');
  for (const { title, platform, reference, file } of built) {
    say(`building ${title} with buildah and comparing it`);
    const version = reference.slice(reference.lastIndexOf(':') + 1);
    const args = [join(import.meta.dirname, 'verify.sh'), title, platform, version, file, node];
    const env = { ...process.env, CACHE: cache };
    const { status } = spawnSync('sh', args, { cwd: root, env, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`${title} of images/Dockerfile differs, or could not be built: see above`);
  }
  // The layers of the build stage take gigabytes, and the next change of a source makes them useless.
  const storage = ['--storage-driver', 'vfs', '--root', join(cache, 'storage'), '--runroot', join(cache, 'run')];
  spawnSync('buildah', [...storage, 'rmi', '--prune', '--force'], { stdio: 'ignore' });
}
