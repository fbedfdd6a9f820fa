import { ensureGoTools } from '../../install/go-tools.ts';
import { CONTAINERS, ETCD } from '../../install/programs.ts';
import type { Containers } from '../../install/programs.ts';
import { ensureInstalled } from '../../install/system-package.ts';

const GO_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'kubelet',
  'kubectl',
  'coredns',
  'helm',
  'pause',
] as const;

/** Paths of the programs of a cluster. */
export interface Programs extends Readonly<Record<(typeof GO_PROGRAMS)[number], string>>, Containers {
  etcd: string;
}

/** Returns the programs of a cluster, and installs or builds the missing ones. */
export async function ensurePrograms(): Promise<Programs> {
  const etcd = await ensureInstalled(ETCD);
  const containers = await ensureInstalled(CONTAINERS);
  return { ...(await ensureGoTools(GO_PROGRAMS)), ...containers, etcd };
}
