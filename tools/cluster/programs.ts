import { ensureContainers } from '../install/containers.ts';
import type { Containers } from '../install/containers.ts';
import { ensureEtcd } from '../install/etcd.ts';
import { ensureGoTools } from '../install/go-tools.ts';
import { ensurePause } from '../install/pause.ts';

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

/** Where the programs of a cluster lie. */
export interface Programs extends Readonly<Record<(typeof GO_PROGRAMS)[number], string>>, Containers {
  etcd: string;
  pause: string;
}

/** Gets every program of a cluster that this machine does not have yet. */
export async function ensurePrograms(): Promise<Programs> {
  const etcd = ensureEtcd();
  const containers = ensureContainers();
  return { ...(await ensureGoTools(GO_PROGRAMS)), ...containers, etcd, pause: await ensurePause() };
}
