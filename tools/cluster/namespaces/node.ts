import { join } from 'node:path';
import { runCommand } from '../command.ts';
import { writeKubeconfig } from './certificates.ts';
import { createCgroup } from './cgroups.ts';
import type { StartOptions } from './control-plane.ts';
import { loadImages } from './images.ts';
import { writeNodeFiles } from './node-files.ts';
import { runInside } from './node-namespaces.ts';
import type { NodePlan } from './plan.ts';
import { POLICY_CHAIN } from './policies/rules.ts';
import { startProgram } from './start-program.ts';
import type { ProcessRecord } from './state.ts';

/** Starts the programs of a node and waits until the node accepts pods. */
export async function startNode(
  options: StartOptions,
  node: NodePlan,
  init: ProcessRecord,
  pauseImage: string,
): Promise<void> {
  const { plan, programs, certificates, kubeconfig, core } = options;
  const server = certificates.kubelets[node.name];
  if (server === undefined) throw new Error(`${node.name} has no certificate`);
  const { caFile, ca } = certificates;
  const nodeKubeconfig = writeKubeconfig(join(node.folder, 'kubeconfig'), { url: plan.apiUrl, ca, user: server });
  const snapshotter = await chooseSnapshotter(node.folder);
  const { cniFolder } = programs;
  const files = writeNodeFiles(plan, node, { caFile, server, kubeconfig, cniFolder, snapshotter });
  createCgroup(node.cgroup);
  await startProgram(plan, {
    name: `${node.name}-containerd`,
    init,
    command: [programs.containerd, '--config', files.containerd],
    isReady: () => runCommand(programs.ctr, ['--address', node.socket, 'version']).then(() => true),
  });
  await loadImages(programs.ctr, [node], [pauseImage]);
  const hasRule = async (table: string, chain: string, text: string) =>
    (await runInside(init, ['net'], ['iptables', '-t', table, '-S', chain])).includes(text);
  const startProxy = async () => {
    await startProgram(plan, {
      name: `${node.name}-kube-proxy`,
      init,
      command: [programs['kube-proxy'], `--config=${files.kubeProxy}`],
      isReady: () => hasRule('nat', 'KUBE-SERVICES', 'default/kubernetes:https'),
    });
    // The policy program starts after kube-proxy, and inserts the jump to its chain above the rules of kube-proxy.
    // Otherwise those rules would accept packets of Services before the policies are checked.
    await startProgram(plan, {
      name: `${node.name}-policies`,
      init,
      command: [process.execPath, join(import.meta.dirname, 'policies/process.ts'), kubeconfig, node.name],
      isReady: () => hasRule('filter', 'INPUT', POLICY_CHAIN),
    });
  };
  const kubelet = startProgram(plan, {
    name: `${node.name}-kubelet`,
    init,
    command: [
      programs.kubelet,
      `--config=${files.kubelet}`,
      `--kubeconfig=${nodeKubeconfig}`,
      `--root-dir=${join(node.folder, 'kubelet')}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.address}`,
      `--cert-dir=${join(node.folder, 'kubelet-certificates')}`,
    ],
    isReady: async () => {
      const { status } = await core.readNode({ name: node.name });
      return (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');
    },
  });
  await Promise.all([startProxy(), kubelet]);
}

/**
 * Returns the snapshotter for a folder. An overlay cannot be mounted on top of another overlay, such as the root file
 * system of a container.
 */
async function chooseSnapshotter(folder: string): Promise<string> {
  const type = await runCommand('stat', ['--file-system', '--format=%T', folder]);
  return type.trim() === 'overlayfs' ? 'native' : 'overlayfs';
}
