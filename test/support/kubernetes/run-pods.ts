import { setTimeout as sleep } from 'node:timers/promises';
import { createNodes, findOpenNodes } from './nodes.ts';
import { podPath, setPodReady } from './pods.ts';
import type { TestPod } from './pods.ts';
import { demand } from './request.ts';
import type { KubeRequest } from './request.ts';

const POLL_MS = 100;

export interface RunPodsOptions {
  namespace: string;
  /** Nodes to bind pods to in turn. They exist only in the API. */
  nodes?: readonly string[];
  /** Longest time that a deleted pod remains, whatever its own grace period is. */
  graceMs?: number;
  /** Called when a pod starts. The pod becomes ready when the promise resolves. */
  onStart?: (pod: TestPod) => Promise<void> | void;
  /** Called when a pod is deleted. The pod is removed when the promise resolves or the grace period ends. */
  onStop?: (pod: TestPod) => Promise<void> | void;
  /** Returns the IP address of a pod. The default is an unreachable address. */
  addressOf?: (pod: TestPod) => string;
}

export interface PodRunner {
  /** Stops managing pods. Rejects if `onStart` or `onStop` failed. */
  stop: () => Promise<void>;
}

/**
 * Stands in for the scheduler and the kubelets. It binds the pods of a namespace to nodes, reports them Running and
 * Ready, and removes deleted ones. It polls, so it tolerates an unavailable API server.
 */
export async function runPods(request: KubeRequest, options: RunPodsOptions): Promise<PodRunner> {
  const { namespace, nodes = ['test-node'], graceMs = 500, onStart, onStop } = options;
  const failures: unknown[] = [];
  /** Steps that are running or done, by step and pod. Each step runs once per pod. */
  const taken = new Set<string>();
  const tasks = new Set<Promise<void>>();
  const startsRun = new Map<string, Promise<void>>();
  const stopsRun = new Map<string, Promise<void>>();
  const startedPods = new Map<string, TestPod>();
  let addresses = 0;
  let turns = 0;
  const stopped = new AbortController();

  await createNodes(request, nodes);

  /** Runs one step for one pod. If the API server fails, the next round repeats the step. */
  function once(step: string, pod: TestPod, work: () => Promise<void>): void {
    const key = `${step} ${pod.metadata.uid}`;
    if (taken.has(key)) return;
    taken.add(key);
    const task = work()
      .catch(() => void taken.delete(key))
      .finally(() => tasks.delete(task));
    tasks.add(task);
  }

  /** Calls a hook of the test once per pod. A failure fails the test and is not retried. */
  function runHook(hook: RunPodsOptions['onStart'], pod: TestPod, ran: Map<string, Promise<void>>): Promise<void> {
    const { uid } = pod.metadata;
    const run =
      ran.get(uid) ??
      Promise.resolve(pod)
        .then(hook)
        .catch((error: unknown) => void failures.push(error));
    ran.set(uid, run);
    return run;
  }

  async function schedule({ metadata: { name } }: TestPod): Promise<void> {
    const open = await findOpenNodes(request, nodes);
    const node = open[turns++ % open.length];
    if (node === undefined) throw new Error('no node accepts pods');
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    await demand(request('POST', `${podPath(namespace, name)}/binding`, binding));
  }

  async function startPod(pod: TestPod): Promise<void> {
    const ip = options.addressOf?.(pod) ?? `10.244.${(addresses >> 8) & 255}.${addresses++ & 255}`;
    await setPodReady(request, namespace, pod.metadata.name, { ready: false, ip });
    // The pod was deleted meanwhile and must not start.
    if (taken.has(`end ${pod.metadata.uid}`)) return;
    startedPods.set(pod.metadata.uid, pod);
    await runHook(onStart, pod, startsRun);
    await setPodReady(request, namespace, pod.metadata.name, { ip });
  }

  async function end(pod: TestPod): Promise<void> {
    const { name, uid } = pod.metadata;
    const limitMs = Math.min(graceMs, (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
    const grace = sleep(limitMs, undefined, { ref: false });
    await (onStop === undefined ? grace : Promise.race([stopPrograms(pod), grace]));
    const answer = await request('DELETE', podPath(namespace, name), { gracePeriodSeconds: 0, preconditions: { uid } });
    if (answer.status !== 404 && answer.status !== 409) await demand(answer);
  }

  /** Waits for `onStart` of the pod and then calls `onStop`. */
  async function stopPrograms(pod: TestPod): Promise<void> {
    await startsRun.get(pod.metadata.uid);
    await runHook(onStop, pod, stopsRun);
  }

  async function reconcile(): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods?resourceVersion=0`;
    const { items } = (await demand(request('GET', path))) as { items: TestPod[] };
    const there = new Set(items.map(({ metadata }) => metadata.uid));
    // A pod that disappeared without the step `end` was deleted without a grace period.
    for (const [uid, pod] of startedPods)
      if (!there.has(uid) && !taken.has(`end ${uid}`)) once('gone', pod, () => stopPrograms(pod));
    for (const pod of items) {
      if (pod.metadata.deletionTimestamp !== undefined) once('end', pod, () => end(pod));
      else if (pod.spec.nodeName === undefined) once('schedule', pod, () => schedule(pod));
      else if (nodes.includes(pod.spec.nodeName)) once('begin', pod, () => startPod(pod));
    }
  }

  const loop = (async () => {
    while (!stopped.signal.aborted) {
      await reconcile().catch(() => undefined);
      await sleep(POLL_MS);
    }
  })();

  return {
    stop: async () => {
      stopped.abort();
      await loop;
      await Promise.all(tasks);
      if (failures.length > 0) throw new AggregateError(failures, 'onStart or onStop of a pod failed');
    },
  };
}
