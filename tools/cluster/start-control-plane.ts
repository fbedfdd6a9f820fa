import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from './api.ts';
import type { Certificates } from './certificates.ts';
import {
  apiServerCommand,
  buildCorefile,
  controllerManagerCommand,
  ETCD_ENVIRONMENT,
  etcdCommand,
  schedulerCommand,
} from './control-plane.ts';
import { API_PORT } from './plan.ts';
import type { ClusterPlan } from './plan.ts';
import type { Programs } from './programs.ts';
import { startProgram } from './start-program.ts';
import type { ProcessRecord } from './state.ts';
import { buildStorageClass } from './volume.ts';

/** What the control plane is started with. */
export interface ControlPlaneOptions {
  plan: ClusterPlan;
  init: ProcessRecord;
  programs: Programs;
  certificates: Certificates;
  /** For programs inside that may do everything. */
  kubeconfig: string;
  /** Reaches the API server through the loopback port. */
  api: Api;
  apiPort: number;
}

/** Starts etcd, the API server and what leads to it from outside. */
export async function startApiServer(options: ControlPlaneOptions): Promise<void> {
  const { plan, init, programs, certificates, api } = options;
  const [first] = plan.nodes;
  await startProgram(plan, {
    name: 'etcd',
    init,
    command: etcdCommand(programs.etcd, plan, certificates),
    env: ETCD_ENVIRONMENT,
    // The API server waits for it.
    isReady: () => Promise.resolve(true),
  });
  const script = (name: string) => join(import.meta.dirname, name);
  await startProgram(plan, {
    name: 'dial',
    init,
    command: [process.execPath, script('dial-process.ts'), plan.dialSocket],
    isReady: () => Promise.resolve(true),
  });
  await startProgram(plan, {
    name: 'forward',
    init,
    // It listens outside of the cluster's network, and ends with the cluster all the same.
    rooms: ['mount', 'pid'],
    command: [
      process.execPath,
      script('forward-process.ts'),
      plan.dialSocket,
      first.address,
      String(API_PORT),
      String(options.apiPort),
    ],
    isReady: () => Promise.resolve(true),
  });
  await startProgram(plan, {
    name: 'kube-apiserver',
    init,
    command: apiServerCommand(programs['kube-apiserver'], plan, certificates),
    isReady: async () => (await api('GET', '/readyz')).status === 200,
  });
}

/** Starts what makes an API server a cluster: controllers, scheduler, names and storage. */
export async function startControllers(options: ControlPlaneOptions): Promise<void> {
  const { plan, init, programs, certificates, kubeconfig, api } = options;
  const corefile = join(plan.folder, 'Corefile');
  writeFileSync(corefile, buildCorefile(plan, kubeconfig));
  mkdirSync(plan.volumes, { recursive: true });
  const exists = async (path: string) => (await api('GET', path)).status === 200;
  await Promise.all([
    startProgram(plan, {
      name: 'kube-controller-manager',
      init,
      command: controllerManagerCommand(programs['kube-controller-manager'], kubeconfig, certificates),
      // Without it no pod of this namespace would be taken.
      isReady: () => exists('/api/v1/namespaces/default/serviceaccounts/default'),
    }),
    startProgram(plan, {
      name: 'kube-scheduler',
      init,
      command: schedulerCommand(programs['kube-scheduler'], kubeconfig),
      // Pods wait for it.
      isReady: () => Promise.resolve(true),
    }),
    startProgram(plan, {
      name: 'coredns',
      init,
      command: [programs.coredns, '-conf', corefile],
      isReady: () => Promise.resolve(true),
    }),
    startProgram(plan, {
      name: 'provision',
      init,
      command: [
        process.execPath,
        join(import.meta.dirname, 'provision-process.ts'),
        plan.apiUrl,
        plan.certificates,
        plan.volumes,
      ],
      isReady: () => Promise.resolve(true),
    }),
  ]);
  await api('POST', '/apis/storage.k8s.io/v1/storageclasses', buildStorageClass());
}
