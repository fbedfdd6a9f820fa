import { runCommand } from '../command.ts';
import type { NodePlan } from './plan.ts';

const TIMEOUT_MS = 600_000;

/** Imports image archives in OCI layout into the containerd of each node. */
export async function loadImages(ctr: string, nodes: readonly NodePlan[], files: readonly string[]): Promise<void> {
  const load = async (node: NodePlan) => {
    for (const file of files) {
      const args = ['--address', node.socket, '--namespace', 'k8s.io', 'images', 'import', '--digests=false', file];
      await runCommand(ctr, args, { timeoutMs: TIMEOUT_MS });
    }
  };
  await Promise.all(nodes.map(load));
}
