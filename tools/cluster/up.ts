import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { createApi } from './api.ts';
import { makeCertificates } from './certificates.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { startNamespaces } from './namespaces.ts';
import { connectNodes } from './network.ts';
import { buildPauseImage } from './pause-image.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import type { Programs } from './programs.ts';
import { startApiServer, startControllers } from './start-control-plane.ts';
import { startNode } from './start-node.ts';
import { amendState } from './state.ts';
import type { ProcessRecord } from './state.ts';

/** Brings a cluster up where nothing of it is. What it makes is recorded first, so that `takeDown` finds all of it. */
export async function bringUp(plan: ClusterPlan, programs: Programs, now = new Date()): Promise<void> {
  mkdirSync(plan.folder, { recursive: true });
  for (const node of plan.nodes) mkdirSync(node.folder, { recursive: true });
  const apiPort = await findFreePort();
  amendState(plan.state, () => ({ nodes: plan.nodes.length, apiPort }));

  const inits = new Map<NodePlan, ProcessRecord>();
  for (const node of plan.nodes) inits.set(node, await startNamespaces(plan, node, programs.pause));
  const initOf = (node: NodePlan) => {
    const init = inits.get(node);
    if (init === undefined) throw new Error(`${node.name} has not been started`);
    return init;
  };
  await connectNodes(plan, initOf);

  const certificates = await makeCertificates(plan, now);
  const { ca, admin } = certificates;
  const apiUrl = `https://127.0.0.1:${apiPort}`;
  writeKubeconfig(plan.kubeconfig, { url: apiUrl, ca, user: admin });
  const kubeconfig = writeKubeconfig(join(plan.folder, 'kubeconfig-inside'), { url: plan.apiUrl, ca, user: admin });
  const api = createApi(apiUrl, ca, admin);
  const common = { plan, programs, certificates, kubeconfig, api };
  const controlPlane = { ...common, init: initOf(plan.nodes[0]), apiPort };
  await startApiServer(controlPlane);
  const pauseImage = (await buildPauseImage(programs.pause, plan.folder)).file;
  await Promise.all([
    startControllers(controlPlane),
    ...plan.nodes.map((node) => startNode(node, initOf(node), { ...common, pauseImage })),
  ]);
  amendState(plan.state, () => ({ whole: true }));
}
