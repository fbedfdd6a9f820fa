import { dirname, join } from 'node:path';
import { runCommand } from './command.ts';
import type { CommandOptions } from './command.ts';

/** kubectl and helm for one cluster. Each function resolves with the output of the command. */
export interface KubeTools {
  readonly kubeconfig: string;
  readonly env: NodeJS.ProcessEnv;
  kubectl: (args: readonly string[], options?: CommandOptions) => Promise<string>;
  helm: (args: readonly string[], options?: CommandOptions) => Promise<string>;
  /** Runs bash commands with kubectl and helm on the PATH, and stops at the first that fails. */
  shell: (commands: string, options?: CommandOptions) => Promise<string>;
}

/** Creates the tools for the cluster of a kubeconfig file. */
export function createKubeTools(
  kubeconfig: string,
  programs: { kubectl: string; helm: string },
  cacheFolder: string,
): KubeTools {
  const folders = new Set([dirname(programs.kubectl), dirname(programs.helm)]);
  // Both tools cache data about a server by its address, which an earlier cluster may have had.
  const env = {
    ...process.env,
    PATH: [...folders, process.env.PATH].join(':'),
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(cacheFolder, 'kubectl-cache'),
    HELM_CACHE_HOME: join(cacheFolder, 'helm/cache'),
    HELM_CONFIG_HOME: join(cacheFolder, 'helm/config'),
    HELM_DATA_HOME: join(cacheFolder, 'helm/data'),
  };
  return {
    kubeconfig,
    env,
    kubectl: (args, options) => runCommand(programs.kubectl, args, { env, ...options }),
    helm: (args, options) => runCommand(programs.helm, args, { env, ...options }),
    shell: (commands, options) => runCommand('bash', ['-ec', commands], { env, ...options }),
  };
}
