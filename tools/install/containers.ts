import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';
import { installPackage } from './system-package.ts';

/** Container runtime, and the programs for kube-proxy and the networks of nodes. */
export const CONTAINERS: SystemPackage = {
  name: 'containers',
  title: 'containerd',
  need: 'containerd, runc, CNI plugins, iptables and iproute2 are needed',
  byHand: {
    'apt-get': 'apt-get install containerd runc containernetworking-plugins iptables conntrack iproute2 procps socat',
    dnf: 'dnf install containerd runc containernetworking-plugins iptables-nft conntrack-tools iproute procps-ng socat',
    apk: 'apk add containerd runc cni-plugins iptables conntrack-tools iproute2 procps util-linux socat',
    brew: 'use a Linux machine: a cluster needs its kernel',
  },
};

const PROGRAMS = [
  'containerd',
  'ctr',
  'runc',
  'iptables',
  'iptables-restore',
  'ip',
  'nsenter',
  'unshare',
  'sysctl',
  'socat',
];
/** Folders in which systems install the CNI plugins. */
const PLUGIN_FOLDERS = ['/usr/lib/cni', '/usr/libexec/cni', '/opt/cni/bin'];
const PLUGINS = ['ptp', 'host-local', 'portmap', 'loopback'];

/** Programs that the cluster runs by path. It finds the others on PATH. */
export interface Containers {
  containerd: string;
  ctr: string;
  /** Folder of the CNI plugins. */
  cniFolder: string;
}

/** Finds the programs and plugins. Returns undefined if one is missing. Installs nothing. */
export function findContainers(path = process.env.PATH, pluginFolders = PLUGIN_FOLDERS): Containers | undefined {
  const cniFolder = pluginFolders.find((folder) => PLUGINS.every((name) => existsSync(join(folder, name))));
  const [containerd, ctr, ...others] = PROGRAMS.map((name) => findOnPath(name, path));
  if (containerd === undefined || ctr === undefined || cniFolder === undefined || others.includes(undefined)) {
    return undefined;
  }
  return { containerd, ctr, cniFolder };
}

/** Returns the container programs. Installs them with the package manager if one is missing. */
export function ensureContainers(): Containers {
  const present = findContainers();
  if (present !== undefined) return present;
  installPackage(CONTAINERS, () => findContainers() !== undefined);
  const installed = findContainers();
  if (installed !== undefined) return installed;
  throw new InstallError(`the package manager did not give all of it: ${CONTAINERS.need}; install them by hand`);
}
