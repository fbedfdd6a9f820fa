import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from './system-package.ts';
import type { SystemPackage } from './system-package.ts';
import { askVersion, isAtLeast } from './version.ts';
import type { Version } from './version.ts';

const OLDEST_REDIS: Version = [7, 0, 0];

/** Redis or Valkey server, depending on the system. */
export const REDIS: SystemPackage<{ path: string; version: string }> = {
  title: 'Redis',
  need: `redis-server or valkey-server ${OLDEST_REDIS[0]} or newer`,
  packages: {
    'apt-get': ['redis-server=redis-server', 'valkey-server=valkey-server'],
    dnf: ['valkey', 'redis'],
    apk: ['valkey', 'redis'],
    brew: ['valkey', 'redis'],
  },
  find: findRedis,
};

/** Finds a server that is new enough. */
export function findRedis(path?: string): { path: string; version: string } | undefined {
  for (const name of ['redis-server', 'valkey-server']) {
    const server = findOnPath(name, path);
    const version = server === undefined ? undefined : askVersion(server, ['--version']);
    if (server !== undefined && version !== undefined && isAtLeast(version, OLDEST_REDIS)) {
      return { path: server, version: version.join('.') };
    }
  }
  return undefined;
}

/** Oldest etcd that works with the API server of the tests. */
const OLDEST_ETCD: Version = [3, 4, 0];

/** Store of the Kubernetes API server. */
export const ETCD: SystemPackage<string> = {
  title: 'etcd',
  need: `etcd ${OLDEST_ETCD[0]}.${OLDEST_ETCD[1]} or newer`,
  packages: { 'apt-get': ['etcd-server=etcd'], dnf: ['etcd'], apk: ['etcd'], brew: ['etcd'] },
  find: () => {
    const assets = process.env.KUBEBUILDER_ASSETS;
    const places = [assets === undefined ? undefined : join(assets, 'etcd'), findOnPath('etcd')];
    return places.find((path) => {
      if (path === undefined) return false;
      const version = askVersion(path, ['--version'], { ...process.env, ...etcdEnvironment(process.arch) });
      return version !== undefined && isAtLeast(version, OLDEST_ETCD);
    });
  },
};

/** Returns the environment for etcd. etcd 3.4 runs on arm64 only if this variable is set; newer versions ignore it. */
export function etcdEnvironment(arch: string): Readonly<Record<string, string>> {
  return arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};
}

/** Compiler of small libraries that tests load into programs with LD_PRELOAD. macOS does not have LD_PRELOAD. */
export const C_COMPILER: SystemPackage<string> = {
  title: 'a C compiler',
  need: 'a C compiler named cc',
  packages: { 'apt-get': ['gcc libc6-dev'], dnf: ['gcc glibc-devel'], apk: ['gcc musl-dev'] },
  find: () => findOnPath('cc'),
};

/** Browser of the tests. On Ubuntu the package only installs a snap, which does not work in containers. */
export const CHROMIUM: SystemPackage<string> = {
  title: 'Chromium',
  need: 'Chromium or Chrome',
  packages: { 'apt-get': ['chromium'], dnf: ['chromium'], apk: ['chromium'], brew: ['--cask chromium'] },
  find: () => {
    const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
    return names.map((name) => findOnPath(name)).find((path) => path !== undefined);
  },
};

/** Prometheus server, with which tests run the queries of dashboards and alerts, and promtool, which checks rules. */
export const PROMETHEUS: SystemPackage<{ server: string; tool: string }> = {
  title: 'Prometheus',
  need: 'prometheus with promtool',
  packages: {
    'apt-get': ['prometheus=prometheus'],
    // The name of the package differs between releases of Fedora.
    dnf: ['/usr/bin/prometheus /usr/bin/promtool'],
    apk: ['prometheus'],
    brew: ['prometheus'],
  },
  find: () => {
    const [server, tool] = [findOnPath('prometheus'), findOnPath('promtool')];
    return server === undefined || tool === undefined ? undefined : { server, tool };
  },
};

/** Programs that the cluster runs by path. The cluster finds its other programs on PATH. */
export interface Containers {
  containerd: string;
  ctr: string;
  /** Folder of the CNI plugins. */
  cniFolder: string;
}

/** Container runtime, and the programs for kube-proxy and the networks of nodes. They need the Linux kernel. */
export const CONTAINERS: SystemPackage<Containers> = {
  title: 'containerd',
  need: 'containerd with runc, CNI plugins, iptables, conntrack, iproute2, procps, socat and util-linux',
  packages: {
    'apt-get': [
      'runc containernetworking-plugins iptables conntrack iproute2 procps socat util-linux containerd=containerd',
    ],
    dnf: [
      'containerd runc containernetworking-plugins iptables-nft conntrack-tools iproute procps-ng socat util-linux',
    ],
    apk: ['containerd containerd-ctr runc cni-plugins iptables conntrack-tools iproute2 procps socat util-linux'],
  },
  find: findContainers,
};

const PROGRAMS = 'containerd ctr runc iptables iptables-restore ip nsenter unshare sysctl socat'.split(' ');
/** Folders in which systems install the CNI plugins. */
const PLUGIN_FOLDERS = ['/usr/lib/cni', '/usr/libexec/cni', '/opt/cni/bin'];
const PLUGINS = ['ptp', 'host-local', 'portmap', 'loopback'];

/** Finds the programs and plugins. Returns undefined if one is missing. */
export function findContainers(path?: string, pluginFolders = PLUGIN_FOLDERS): Containers | undefined {
  const cniFolder = pluginFolders.find((folder) => PLUGINS.every((name) => existsSync(join(folder, name))));
  const [containerd, ctr, ...others] = PROGRAMS.map((name) => findOnPath(name, path));
  if (containerd === undefined || ctr === undefined || cniFolder === undefined || others.includes(undefined)) {
    return undefined;
  }
  return { containerd, ctr, cniFolder };
}
