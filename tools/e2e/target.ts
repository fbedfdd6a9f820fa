import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../cluster/command.ts';
import { createKubeTools } from '../cluster/kube-tools.ts';
import type { KubeTools } from '../cluster/kube-tools.ts';
import { planExisting, startCluster } from '../cluster/namespaces/cluster.ts';
import { takeDown } from '../cluster/namespaces/down.ts';
import { ensureGoTools } from '../install/go-tools.ts';
import { findOnPath } from '../install/system-package.ts';
import type { E2eArguments } from './arguments.ts';

/** An image archive and the reference inside it. */
export interface Archive {
  file: string;
  /** For example localhost/svc-asr-gateway:0.1.0. */
  reference: string;
}

/** A cluster that the tests run on. */
export interface Target {
  tools: KubeTools;
  /** Registry in the names of images. `localhost` for images that were loaded into the nodes. */
  registry: string;
  /** Brings images to the cluster. Undefined if the nodes must already have them. */
  deliver?: (archives: readonly Archive[]) => Promise<void>;
  /** Removes the cluster, or what the tests installed on it. */
  remove: () => Promise<void>;
}

const LOADED = 'localhost';
const DELIVER_MS = 600_000;
const CLUSTER = 'e2e';
const NODES = 2;
/** Longest time for the operator to remove the finalizers of all resources of one kind. */
const RESOURCES_MS = 60_000;
const RELEASE_NAMESPACE = 'asr';
const MODEL_NAMESPACE = 'asr-models';
const NAMESPACES = [RELEASE_NAMESPACE, MODEL_NAMESPACE, 'svc-asr-e2e', 'svc-asr-e2e-other'];
/**
 * Objects of the release outside of its namespace. They are deleted separately, because a failed run does not uninstall
 * the release.
 */
const CLUSTER_OBJECTS = ['clusterroles,clusterrolebindings', '-l', 'app.kubernetes.io/part-of=svc-asr'];
const CRDS = ['asrmodels', 'apikeys', 'members', 'tenants'].map((kind) => `${kind}.asr.svc.dev`);

/** Starts a new cluster on this machine. The nodes of the cluster are Linux namespaces. */
export async function startOwnTarget(home: string, logProgress: (line: string) => void): Promise<Target> {
  // A killed run may have left a cluster behind.
  await removeOwnCluster(home);
  const { tools, loadImages } = await startCluster({ name: CLUSTER, home, nodes: NODES, logProgress });
  return {
    tools,
    registry: LOADED,
    deliver: (archives) => loadImages(archives.map(({ file }) => file)),
    remove: () => removeOwnCluster(home),
  };
}

/** Removes the cluster of `startOwnTarget`, if there is one. */
export async function removeOwnCluster(home: string): Promise<void> {
  await takeDown(planExisting({ name: CLUSTER, home }));
}

/**
 * Opens the cluster of a kubeconfig. Fails if svc-asr is installed on it, because the tests would delete the resources
 * of that installation.
 */
export async function openTarget(
  { registry, loadCommand }: E2eArguments,
  kubeconfig: string,
  home: string,
): Promise<Target> {
  if (!existsSync(kubeconfig)) throw new Error(`there is no kubeconfig ${kubeconfig}`);
  const tools = createKubeTools(kubeconfig, await ensureGoTools(['kubectl', 'helm']), join(home, 'e2e'));
  const objects = [...NAMESPACES.map((name) => `namespace/${name}`), ...CRDS.map((name) => `crd/${name}`)];
  const list = async (...args: string[]) =>
    (await tools.kubectl(['get', ...args, '--ignore-not-found', '-o', 'name'])).trim();
  const existing = [await list(...objects), await list(...CLUSTER_OBJECTS)].join('\n').trim();
  if (existing !== '') {
    const names = existing.split('\n').join(', ');
    throw new Error(`the tests install and delete these objects, and the cluster already has them: ${names}`);
  }
  return {
    tools,
    registry: registry ?? LOADED,
    ...deliverWith(registry, loadCommand),
    remove: async () => {
      for (const namespace of [MODEL_NAMESPACE, RELEASE_NAMESPACE]) await deleteResources(tools, namespace);
      const wait = ['--ignore-not-found', '--timeout=300s'];
      await tools.kubectl(['delete', ...objects, ...wait], { timeoutMs: 310_000 });
      await tools.kubectl(['delete', ...CLUSTER_OBJECTS, ...wait], { timeoutMs: 310_000 });
    },
  };
}

/**
 * Deletes the custom resources of the tests in a namespace. The operator must still run, because it removes their
 * finalizers. If the operator does not remove them in time, this function does, so that the namespace can be deleted.
 */
async function deleteResources(tools: KubeTools, namespace: string): Promise<void> {
  const kubectl = (...args: string[]) =>
    tools.kubectl(['-n', namespace, ...args], { timeoutMs: RESOURCES_MS + 10_000 });
  const kinds =
    (await tools.kubectl(['get', 'crd', ...CRDS, '--ignore-not-found', '-o', 'name'])).match(/[^/\s]+$/gm) ?? [];
  for (const kind of kinds) {
    try {
      await kubectl('delete', kind, '--all', `--timeout=${RESOURCES_MS / 1000}s`);
    } catch {
      const left = (await kubectl('get', kind, '-o', 'name')).split('\n').filter((name) => name !== '');
      for (const name of left) await kubectl('patch', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    }
  }
}

function deliverWith(registry: string | undefined, loadCommand: string | undefined): Pick<Target, 'deliver'> {
  const options = { timeoutMs: DELIVER_MS };
  if (registry !== undefined) {
    return {
      deliver: async (archives) => {
        if (findOnPath('skopeo') === undefined) throw new Error('--registry needs skopeo: install it');
        for (const { file, reference } of archives) {
          const target = `docker://${reference.replace(LOADED, registry)}`;
          await runCommand('skopeo', ['copy', `oci-archive:${file}`, target], options);
        }
      },
    };
  }
  if (loadCommand === undefined) return {};
  return {
    deliver: async (archives) => {
      for (const { file } of archives) await runCommand('bash', ['-ec', `${loadCommand} "$1"`, 'load', file], options);
    },
  };
}

/** Describes the images that nodes lack. Returns an empty list if all nodes that accept pods have all images. */
export async function findMissingImages(tools: KubeTools, references: readonly string[]): Promise<string[]> {
  return (await readNodes(tools)).flatMap(({ metadata, status }) => {
    const names = new Set((status.images ?? []).flatMap((image) => image.names ?? []));
    return references.filter((reference) => !names.has(reference)).map((name) => `${metadata.name} lacks ${name}`);
  });
}

/** Returns the names of the nodes that accept pods. */
export async function listNodes(tools: KubeTools): Promise<string[]> {
  return (await readNodes(tools)).map(({ metadata }) => metadata.name);
}

interface Node {
  metadata: { name: string };
  spec: { unschedulable?: boolean; taints?: { effect: string }[] };
  status: { images?: { names?: string[] }[] };
}

/** Reads the nodes that accept pods. */
async function readNodes(tools: KubeTools): Promise<Node[]> {
  const { items } = JSON.parse(await tools.kubectl(['get', 'nodes', '-o', 'json'])) as { items: Node[] };
  return items.filter(
    ({ spec: { unschedulable = false, taints = [] } }) =>
      !unschedulable && taints.every(({ effect }) => effect === 'PreferNoSchedule'),
  );
}
