import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from './api.ts';
import type { Certificates } from './certificates.ts';
import { makeCgroup } from './cgroups.ts';
import { runCommand } from './command.ts';
import { importImages } from './import-images.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { enter } from './namespaces.ts';
import { writeNodeFiles } from './node-files.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import type { Programs } from './programs.ts';
import { POLICY_CHAIN } from './policy-rules.ts';
import { startProgram } from './start-program.ts';
import type { ProcessRecord } from './state.ts';

/** What nodes are started with. */
export interface NodeOptions {
  plan: ClusterPlan;
  programs: Programs;
  certificates: Certificates;
  /** For programs inside that may do everything. */
  kubeconfig: string;
  /** The archive of the image that every pod begins with. */
  pauseImage: string;
  api: Api;
}

/** Starts containerd, kubelet, kube-proxy and what enforces policies of a node and waits until it takes pods. */
export async function startNode(node: NodePlan, init: ProcessRecord, options: NodeOptions): Promise<void> {
  const { plan, programs, certificates, kubeconfig, api } = options;
  const server = certificates.kubelets[node.name];
  if (server === undefined) throw new Error(`${node.name} has no certificate`);
  const { caFile, ca } = certificates;
  const own = writeKubeconfig(join(node.folder, 'kubeconfig'), { url: plan.apiUrl, ca, user: server });
  const snapshotter = await chooseSnapshotter(node.folder);
  const { cniFolder } = programs;
  const files = writeNodeFiles(plan, node, { caFile, server, kubeconfig, cniFolder, snapshotter });
  makeCgroup(node.cgroup);
  await startProgram(plan, {
    name: `${node.name}-containerd`,
    init,
    command: [programs.containerd, '--config', files.containerd],
    isReady: () => runCommand(programs.ctr, ['--address', node.socket, 'version']).then(() => true),
  });
  await importImages(programs.ctr, [node], [options.pauseImage]);
  const proxy = startProgram(plan, {
    name: `${node.name}-kube-proxy`,
    init,
    command: [programs['kube-proxy'], `--config=${files.kubeProxy}`],
    isReady: () => hasServiceRules(init),
  });
  const kubelet = startProgram(plan, {
    name: `${node.name}-kubelet`,
    init,
    command: [
      programs.kubelet,
      `--config=${files.kubelet}`,
      `--kubeconfig=${own}`,
      `--root-dir=${join(node.folder, 'kubelet')}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.address}`,
      `--cert-dir=${join(node.folder, 'kubelet-certificates')}`,
    ],
    isReady: () => isNodeReady(api, node.name),
  });
  await Promise.all([proxy.then(() => startPolicies(plan, node, init)), kubelet]);
}

/** Starts what enforces NetworkPolicies, after kube-proxy: what that lets through must have passed here before. */
async function startPolicies(plan: ClusterPlan, node: NodePlan, init: ProcessRecord): Promise<void> {
  await startProgram(plan, {
    name: `${node.name}-policies`,
    init,
    command: [
      process.execPath,
      join(import.meta.dirname, 'policy-process.ts'),
      ...[plan.apiUrl, plan.certificates, node.name],
    ],
    isReady: async () => (await readRules(init, 'filter', 'INPUT')).includes(POLICY_CHAIN),
  });
}

/** Whether a node takes pods. */
export async function isNodeReady(api: Api, name: string): Promise<boolean> {
  const { status, body } = await api('GET', `/api/v1/nodes/${name}`);
  if (status !== 200) return false;
  const { conditions = [] } = (body as { status: { conditions?: { type: string; status: string }[] } }).status;
  return conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
}

/** kube-proxy has done its work when the API server's own Service has its rule. */
async function hasServiceRules(init: ProcessRecord): Promise<boolean> {
  return (await readRules(init, 'nat', 'KUBE-SERVICES')).includes('default/kubernetes:https');
}

function readRules(init: ProcessRecord, table: string, chain: string): Promise<string> {
  const [command, ...args] = enter(init, ['net']);
  return runCommand(command, [...args, 'iptables', '-t', table, '-S', chain]);
}

/** An overlay cannot lie on an overlay, such as the root of a container. */
async function chooseSnapshotter(folder: string): Promise<string> {
  if (!existsSync('/proc/filesystems')) return 'native';
  const type = await runCommand('stat', ['--file-system', '--format=%T', folder]);
  return type.trim() === 'overlayfs' ? 'native' : 'overlayfs';
}
