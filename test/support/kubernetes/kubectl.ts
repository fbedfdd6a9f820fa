import { join } from 'node:path';
import { runCommand } from '../../../tools/cluster/command.ts';

/** Runs kubectl; resolves with what it prints, rejects with what it complains of. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** Makes a kubectl that knows one cluster and nothing of the person's own. */
export function createKubectl(command: string, kubeconfig: string, folder: string): Kubectl {
  // What it knows of a server it keeps by address: that of an earlier one on the same port must not count.
  const fixed = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(folder, 'kubectl-cache')}`];
  return (args, input = '') => runCommand(command, [...fixed, ...args], { input });
}
