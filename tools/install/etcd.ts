import { join } from 'node:path';
import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';
import { askVersion, isAtLeast } from './program-version.ts';
import type { Version } from './program-version.ts';
import { installPackage } from './system-package.ts';

/** The oldest etcd that the API server of the tests works with. */
const OLDEST: Version = [3, 4, 0];

/** The store behind a Kubernetes API server. */
export const ETCD: SystemPackage = {
  name: 'etcd',
  title: 'etcd',
  need: `etcd (${OLDEST[0]}.${OLDEST[1]} or newer) is needed`,
  byHand: {
    'apt-get': 'apt-get install etcd-server',
    dnf: 'dnf install etcd',
    apk: 'apk add etcd',
    brew: 'brew install etcd',
  },
};

/** etcd 3.4 runs on arm64 only when it is told that this is known; others do not look at it. */
export function etcdEnvironment(arch: string): Readonly<Record<string, string>> {
  return arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};
}

/** Where a fitting etcd lies, without installing one. */
export function findEtcd(env = process.env): string | undefined {
  const assets = env.KUBEBUILDER_ASSETS;
  const places = [assets === undefined ? undefined : join(assets, 'etcd'), findOnPath('etcd', env.PATH)];
  return places.find((path) => {
    if (path === undefined) return false;
    const version = askVersion(path, ['--version'], { ...env, ...etcdEnvironment(process.arch) });
    return version !== undefined && isAtLeast(version, OLDEST);
  });
}

/** The etcd of this machine, installed with its package manager where there is none yet. */
export function ensureEtcd(): string {
  const present = findEtcd();
  if (present !== undefined) return present;
  installPackage(ETCD, () => findEtcd() !== undefined);
  const installed = findEtcd();
  if (installed !== undefined) return installed;
  throw new InstallError(
    `the package manager gave no fitting etcd: ${ETCD.need}; install one from https://etcd.io/docs/latest/install and put it on PATH`,
  );
}
