import { runCommand } from './command.ts';
import type { NodePlan } from './plan.ts';

const TIMEOUT_MS = 600_000;

/** Brings images, as archives in OCI layout, to nodes: there is no registry that they could fetch them from. */
export async function importImages(ctr: string, nodes: readonly NodePlan[], files: readonly string[]): Promise<void> {
  const importTo = async (node: NodePlan) => {
    for (const file of files) {
      const args = ['--address', node.socket, '--namespace', 'k8s.io', 'images', 'import', '--digests=false', file];
      await runCommand(ctr, args, { timeoutMs: TIMEOUT_MS });
    }
  };
  await Promise.all(nodes.map(importTo));
}
