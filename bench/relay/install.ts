import { findOnPath } from '../../tools/install/system-package.ts';
import type { SystemPackage } from '../../tools/install/system-package.ts';

export type Peer = 'haproxy' | 'nginx';

/** HAProxy and nginx, which the gateway is compared with. Their system services are not started. */
export const PEERS: SystemPackage<Record<Peer, string>> = {
  title: 'HAProxy and nginx',
  need: 'haproxy with nginx',
  packages: {
    'apt-get': ['haproxy=haproxy nginx-light=nginx'],
    dnf: ['haproxy nginx'],
    apk: ['haproxy nginx'],
    brew: ['haproxy nginx'],
  },
  find: () => {
    const [haproxy, nginx] = [findOnPath('haproxy'), findOnPath('nginx')];
    return haproxy === undefined || nginx === undefined ? undefined : { haproxy, nginx };
  },
};
