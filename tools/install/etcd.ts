import { join } from 'node:path';
import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';
import { askVersion, isAtLeast } from './program-version.ts';
import type { Version } from './program-version.ts';
import { installPackage } from './system-package.ts';

/** Oldest etcd that works with the API server of the tests. */
const OLDEST: Version = [3, 4, 0];

/** Store of the Kubernetes API server. */
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

/** Returns the environment for etcd. etcd 3.4 runs on arm64 only if this variable is set; other versions ignore it. */
export function etcdEnvironment(arch: string): Readonly<Record<string, string>> {
  return arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};
}

/** Finds an etcd with a supported version. Installs nothing. */
export function findEtcd(env = process.env): string | undefined {
  const assets = env.KUBEBUILDER_ASSETS;
  const places = [assets === undefined ? undefined : join(assets, 'etcd'), findOnPath('etcd', env.PATH)];
  return places.find((path) => {
    if (path === undefined) return false;
    const version = askVersion(path, ['--version'], { ...env, ...etcdEnvironment(process.arch) });
    return version !== undefined && isAtLeast(version, OLDEST);
  });
}

/** Returns the path of etcd. Installs it with the package manager if it is missing. */
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
