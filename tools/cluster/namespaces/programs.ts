import { ensureContainers } from '../../install/containers.ts';
import type { Containers } from '../../install/containers.ts';
import { ensureEtcd } from '../../install/etcd.ts';
import { ensureGoTools } from '../../install/go-tools.ts';
import { ensurePause } from '../../install/pause.ts';

const GO_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'kubelet',
  'kubectl',
  'coredns',
  'helm',
] as const;

/** Paths of the programs of a cluster. */
export interface Programs extends Readonly<Record<(typeof GO_PROGRAMS)[number], string>>, Containers {
  etcd: string;
  pause: string;
}

/** Returns the programs of a cluster, and installs or builds the missing ones. */
export async function ensurePrograms(): Promise<Programs> {
  const etcd = ensureEtcd();
  const containers = ensureContainers();
  return { ...(await ensureGoTools(GO_PROGRAMS)), ...containers, etcd, pause: await ensurePause() };
}
