import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createApi } from './api.ts';
import type { Api } from './api.ts';
import { runCommand } from './command.ts';
import type { CommandOptions } from './command.ts';
import { takeDown } from './down.ts';
import { openForward } from './forward.ts';
import type { Forward } from './forward.ts';
import { importImages } from './import-images.ts';
import { enter } from './namespaces.ts';
import { planCluster } from './plan.ts';
import type { ClusterPlan } from './plan.ts';
import { ensurePrograms } from './programs.ts';
import type { Programs } from './programs.ts';
import { choose, settle } from './present.ts';
import { readState, runs } from './state.ts';
import { inspect, judge } from './status.ts';
import { bringUp } from './up.ts';

/** A real cluster on this machine. */
export interface Cluster {
  readonly kubeconfig: string;
  readonly nodes: readonly string[];
  /** The address of the first node, inside of the cluster. */
  readonly address: string;
  /** Where logs of its programs lie. */
  readonly logs: string;
  /** Runs kubectl; resolves with what it prints. */
  kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** Runs helm; resolves with what it prints. */
  helm: (args: readonly string[], options?: CommandOptions) => Promise<string>;
  /** Runs commands of a shell that finds kubectl and helm, up to the first that fails; resolves with what they print. */
  shell: (commands: string, options?: CommandOptions) => Promise<string>;
  /** Brings images to all nodes; each is an archive in OCI layout, as `npm run images` makes them. */
  importImages: (files: readonly string[]) => Promise<void>;
  /** Runs a command in the network of the first node, where addresses of pods and Services lead somewhere. */
  inCluster: (command: readonly [string, ...string[]], options?: CommandOptions) => Promise<string>;
  /** Opens a loopback port, any one unless told, that leads to an address of the cluster, such as that of a Service. */
  forward: (host: string, port: number, at?: number) => Promise<Forward>;
  /** The command that runs another one in the network of the first node, for those who start it themselves. */
  enterNetwork: () => [string, ...string[]];
  /** Makes a node offer something that it does not have, such as `nvidia.com/gpu`. */
  offerResource: (node: string, resource: string, amount: number) => Promise<void>;
  /** Removes the cluster and everything of it. */
  stop: () => Promise<void>;
}

export interface StartOptions {
  /** Clusters of different names run side by side. */
  name?: string;
  nodes?: number;
  /** Under which the cluster's folder lies. */
  home: string;
  say?: (line: string) => void;
}

/** Starts a cluster, or takes the one that runs; one of which something is missing is removed first. */
export async function startCluster(options: StartOptions): Promise<Cluster> {
  const { name = 'default', nodes = 1, home, say = () => undefined } = options;
  const plan = planCluster({ name, home, nodes });
  const programs = await ensurePrograms();
  const present = planPresent(plan, home);
  const look = () => inspect(present, openApi(present));
  // A machine that does much else keeps nodes from telling that they are ready.
  const status = await settle(await look(), look);
  const choice = choose(status, present, nodes);
  if (choice.refusal !== undefined) throw new Error(choice.refusal);
  if (choice.attach) return attach(plan, programs);
  if (status.state === 'broken') {
    say(`beginning the cluster ${name} anew: ${status.problems.join(', ')}`);
    await takeDown(present);
  }
  try {
    await bringUp(plan, programs);
  } catch (error) {
    say(`the cluster ${name} did not come up; its logs are in ${plan.logs} until the next "up" or "down"`);
    throw error;
  }
  return attach(plan, programs);
}

/** Takes a cluster that somebody else started, as it is; it is neither started nor removed. */
export async function attachCluster({ name, home }: { name: string; home: string }): Promise<Cluster> {
  const plan = planPresent(planCluster({ name, home, nodes: 1 }), home);
  const { state, problems } = judge(readState(plan.state), runs, true);
  if (state !== 'up') throw new Error(`there is no cluster ${name} that runs: ${problems.join(', ') || state}`);
  return attach(plan, await ensurePrograms());
}

/** The plan of a cluster as it was started, which may have had another number of nodes. */
export function planPresent(plan: ClusterPlan, home: string): ClusterPlan {
  const state = readState(plan.state);
  return state === undefined ? plan : planCluster({ name: plan.name, home, nodes: state.nodes });
}

/** A client of the API server of a cluster; undefined where it has none yet. */
export function openApi(plan: ClusterPlan): Api | undefined {
  const state = readState(plan.state);
  const read = (name: string) => readFileSync(join(plan.certificates, name), 'utf8');
  if (state === undefined || !existsSync(join(plan.certificates, 'server.key'))) return undefined;
  const pair = { cert: read('server.pem'), key: read('server.key') };
  return createApi(`https://127.0.0.1:${state.apiPort}`, read('ca.pem'), pair);
}

function attach(plan: ClusterPlan, programs: Programs): Cluster {
  // What kubectl and helm know of a server they keep by its address, and an earlier one may have had the same.
  const env = {
    ...process.env,
    KUBECONFIG: plan.kubeconfig,
    KUBECACHEDIR: join(plan.folder, 'kubectl-cache'),
    HELM_CACHE_HOME: join(plan.folder, 'helm/cache'),
    HELM_CONFIG_HOME: join(plan.folder, 'helm/config'),
    HELM_DATA_HOME: join(plan.folder, 'helm/data'),
  };
  const kubectl = (args: readonly string[], input = '') => runCommand(programs.kubectl, args, { env, input });
  const enterNetwork = () => {
    const [init] = readState(plan.state)?.inits ?? [];
    if (init === undefined) throw new Error(`the cluster ${plan.name} is not up`);
    return enter(init, ['net']);
  };
  return {
    kubeconfig: plan.kubeconfig,
    nodes: plan.nodes.map(({ name }) => name),
    address: plan.nodes[0].address,
    logs: plan.logs,
    kubectl,
    helm: (args, options) => runCommand(programs.helm, args, { env, ...options }),
    shell: (commands, options) => {
      const places = [programs.kubectl, programs.helm].map((program) => dirname(program));
      const found = { ...env, PATH: [...places, process.env.PATH].join(':') };
      return runCommand('bash', ['-ec', commands], { env: found, ...options });
    },
    importImages: (files) => importImages(programs.ctr, plan.nodes, files),
    inCluster: (command, options) => {
      const [first, ...rest] = [...enterNetwork(), ...command] as [string, ...string[]];
      return runCommand(first, rest, { env, ...options });
    },
    forward: (host, port, at) => openForward(plan.dialSocket, host, port, at),
    enterNetwork,
    offerResource: async (node, resource, amount) => {
      const status = { capacity: { [resource]: String(amount) }, allocatable: { [resource]: String(amount) } };
      const patch = JSON.stringify({ status });
      await kubectl(['patch', 'node', node, '--subresource=status', '--type=merge', `--patch=${patch}`]);
    },
    stop: async () => {
      await takeDown(plan);
    },
  };
}
