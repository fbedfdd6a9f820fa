import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { freePort } from '../../start/ports.ts';
import { createKubeTools } from '../kube-tools.ts';
import type { KubeTools } from '../kube-tools.ts';
import { createCertificates, writeKubeconfig } from './certificates.ts';
import { startApiServer, startControllers } from './control-plane.ts';
import { takeDown } from './down.ts';
import { buildPauseImage, loadImages } from './images.ts';
import { connectNodes } from './network.ts';
import { startNode } from './node.ts';
import { startNamespaces } from './node-namespaces.ts';
import { planCluster } from './plan.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import { ensurePrograms } from './programs.ts';
import type { Programs } from './programs.ts';
import { findProblems, readState, updateState } from './state.ts';
import type { ProcessRecord } from './state.ts';

const NODES_READY_TIMEOUT = '180s';

/** A running cluster. */
export interface NamespacesCluster {
  plan: ClusterPlan;
  tools: KubeTools;
  /** Imports image archives in OCI layout, as `npm run images` writes them, into every node. */
  loadImages: (files: readonly string[]) => Promise<void>;
}

export interface ClusterOptions {
  /** Clusters with different names run independently. */
  name: string;
  /** Folder with the state of all clusters. Each cluster has a subfolder. */
  home: string;
}

/**
 * Starts a cluster, or returns the one that runs. Replaces a cluster whose programs do not all run. Rejects if the
 * running cluster has another number of nodes.
 */
export async function startCluster(
  options: ClusterOptions & { nodes: number; logProgress: (line: string) => void },
): Promise<NamespacesCluster> {
  const { name, home, nodes, logProgress } = options;
  const plan = planCluster(options);
  const programs = await ensurePrograms();
  const state = readState(plan.state);
  const problems = state === undefined ? ['its start was not completed'] : findProblems(state);
  if (state !== undefined && problems.length === 0) {
    if (state.nodes === nodes) return openWhenReady(plan, programs);
    throw new Error(
      `the cluster ${name} runs with ${state.nodes} nodes; pass --nodes ${state.nodes} to use it, ` +
        `or remove it with \`npm run cluster -- down --name ${name}\``,
    );
  }
  if (existsSync(plan.folder)) {
    logProgress(`replacing the cluster ${name}: ${problems.join(', ')}`);
    await takeDown(planExisting({ name, home }));
  }
  try {
    await bringUp(plan, programs);
  } catch (error) {
    logProgress(`the cluster ${name} did not start; its logs are in ${plan.logs} until the next "up" or "down"`);
    throw error;
  }
  return openWhenReady(plan, programs);
}

/** Returns a cluster that was started before. Fails if it does not run. */
export async function openCluster({ name, home }: ClusterOptions): Promise<NamespacesCluster> {
  const plan = planExisting({ name, home });
  const state = readState(plan.state);
  const problems = state === undefined ? ['start it with `npm run cluster -- up`'] : findProblems(state);
  if (problems.length > 0) throw new Error(`the cluster ${name} does not run: ${problems.join(', ')}`);
  return openWhenReady(plan, await ensurePrograms());
}

/** Returns the plan of a cluster with the number of nodes that it was started with. */
export function planExisting({ name, home }: ClusterOptions): ClusterPlan {
  const plan = planCluster({ name, home, nodes: 1 });
  return planCluster({ name, home, nodes: readState(plan.state)?.nodes ?? 1 });
}

async function openWhenReady(plan: ClusterPlan, programs: Programs): Promise<NamespacesCluster> {
  const tools = createKubeTools(plan.kubeconfig, programs, plan.folder);
  await tools.kubectl(['wait', 'node', '--all', '--for=condition=Ready', `--timeout=${NODES_READY_TIMEOUT}`], {
    timeoutMs: 200_000,
  });
  return { plan, tools, loadImages: (files) => loadImages(programs.ctr, plan.nodes, files) };
}

/** Starts all programs of a cluster. Each is recorded when it starts, so that `takeDown` finds it after a crash. */
async function bringUp(plan: ClusterPlan, programs: Programs): Promise<void> {
  for (const node of plan.nodes) mkdirSync(node.folder, { recursive: true });
  const apiPort = await freePort('127.0.0.1');
  updateState(plan.state, () => ({ nodes: plan.nodes.length, apiPort }));

  const inits = new Map<NodePlan, ProcessRecord>();
  for (const node of plan.nodes) inits.set(node, await startNamespaces(plan, node, programs.pause));
  const initOf = (node: NodePlan) => {
    const init = inits.get(node);
    if (init === undefined) throw new Error(`${node.name} has not been started`);
    return init;
  };
  await connectNodes(plan, initOf);

  const certificates = await createCertificates(plan, new Date());
  const { ca, admin } = certificates;
  writeKubeconfig(plan.kubeconfig, { url: `https://127.0.0.1:${apiPort}`, ca, user: admin });
  const kubeconfig = writeKubeconfig(join(plan.folder, 'kubeconfig-inside'), { url: plan.apiUrl, ca, user: admin });
  const client = new KubeConfig();
  client.loadFromFile(plan.kubeconfig);
  const options = { plan, programs, certificates, kubeconfig, client, core: client.makeApiClient(CoreV1Api) };
  const first = initOf(plan.nodes[0]);
  await startApiServer(options, first, apiPort);
  const pauseImage = await buildPauseImage(programs.pause, plan.folder);
  await Promise.all([
    startControllers(options, first),
    ...plan.nodes.map((node) => startNode(options, node, initOf(node), pauseImage)),
  ]);
  updateState(plan.state, () => ({ complete: true }));
}
