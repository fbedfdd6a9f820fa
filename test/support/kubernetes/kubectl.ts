import { join } from 'node:path';
import { runCommand } from '../../../tools/cluster/command.ts';

/** Runs kubectl. Resolves with its output and rejects with its error output. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** Creates a kubectl for one cluster that ignores the user's own configuration. */
export function createKubectl(command: string, kubeconfig: string, folder: string): Kubectl {
  // Each cluster has its own discovery cache. Its entries are keyed by address, and an earlier cluster may have used
  // the same port.
  const fixed = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(folder, 'kubectl-cache')}`];
  // With a large GOGC, Go collects garbage rarely, which saves a fifth of the time of a short-lived process.
  const env = { ...process.env, GOGC: '400' };
  return (args, input = '') => runCommand(command, [...fixed, ...args], { input, env });
}
