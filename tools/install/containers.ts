import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';
import { installPackage } from './system-package.ts';

/** What runs containers, and what kube-proxy and the nodes' networks are made with. */
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
/** Where systems put the CNI plugins. */
const PLUGIN_FOLDERS = ['/usr/lib/cni', '/usr/libexec/cni', '/opt/cni/bin'];
const PLUGINS = ['ptp', 'host-local', 'portmap', 'loopback'];

/** The programs that a cluster runs itself; it finds the others on the PATH. */
export interface Containers {
  containerd: string;
  ctr: string;
  /** The folder of the CNI plugins. */
  cniFolder: string;
}

/** Where everything lies; undefined when something is missing. */
export function findContainers(path = process.env.PATH, pluginFolders = PLUGIN_FOLDERS): Containers | undefined {
  const cniFolder = pluginFolders.find((folder) => PLUGINS.every((name) => existsSync(join(folder, name))));
  const [containerd, ctr, ...others] = PROGRAMS.map((name) => findOnPath(name, path));
  if (containerd === undefined || ctr === undefined || cniFolder === undefined || others.includes(undefined)) {
    return undefined;
  }
  return { containerd, ctr, cniFolder };
}

/** What this machine runs containers with, installed with its package manager where there is none yet. */
export function ensureContainers(): Containers {
  const present = findContainers();
  if (present !== undefined) return present;
  installPackage(CONTAINERS, () => findContainers() !== undefined);
  const installed = findContainers();
  if (installed !== undefined) return installed;
  throw new InstallError(`the package manager did not give all of it: ${CONTAINERS.need}; install them by hand`);
}
