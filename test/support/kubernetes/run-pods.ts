import { setTimeout as sleep } from 'node:timers/promises';
import { createNodes, findExcludedNodes, findOpenNodes } from './nodes.ts';
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

/**
 * Stands in for the scheduler and the kubelets. It binds the pods of a namespace to nodes, reports them Running and
 * Ready, and removes deleted ones. It polls, so it tolerates an unavailable API server.
 */
export async function runPods(request: KubeRequest, options: RunPodsOptions): Promise<PodRunner> {
  const { nodes = ['test-node'] } = options;
  await createNodes(request, nodes);
  return new PodRunner(request, nodes, options);
}

/** A step in the life of a pod. Each step runs once per pod. */
type Step = 'schedule' | 'start' | 'end' | 'stop programs';

/** Runs the pods of a namespace until `stop` is called. */
export class PodRunner {
  readonly #request: KubeRequest;
  readonly #nodes: readonly string[];
  readonly #options: RunPodsOptions;
  /** Steps that are running or done, by step and pod. */
  readonly #taken = new Set<string>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #startsRun = new Map<string, Promise<void>>();
  readonly #stopsRun = new Map<string, Promise<void>>();
  readonly #startedPods = new Map<string, TestPod>();
  readonly #failures: unknown[] = [];
  readonly #loop: Promise<void>;
  #stopped = false;
  #addresses = 0;
  #turns = 0;

  constructor(request: KubeRequest, nodes: readonly string[], options: RunPodsOptions) {
    this.#request = request;
    this.#nodes = nodes;
    this.#options = options;
    this.#loop = this.#run();
  }

  /** Stops managing pods. Rejects if `onStart` or `onStop` failed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    await Promise.all(this.#tasks);
    if (this.#failures.length > 0) throw new AggregateError(this.#failures, 'onStart or onStop of a pod failed');
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#reconcile().catch(() => undefined);
      await sleep(POLL_MS);
    }
  }

  async #reconcile(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#options.namespace}/pods?resourceVersion=0`;
    const { items } = (await demand(this.#request('GET', path))) as { items: TestPod[] };
    const there = new Set(items.map(({ metadata }) => metadata.uid));
    for (const [uid, pod] of this.#startedPods) {
      // A pod that disappeared without the step `end` was deleted without a grace period. Its programs must still be
      // stopped.
      if (there.has(uid) || this.#hasTaken('end', pod)) continue;
      this.#once('stop programs', pod, () => this.#stopPrograms(pod));
    }
    for (const pod of items) {
      if (pod.metadata.deletionTimestamp !== undefined) this.#once('end', pod, () => this.#end(pod));
      else if (pod.spec.nodeName === undefined) this.#once('schedule', pod, () => this.#schedule(pod, items));
      else if (this.#nodes.includes(pod.spec.nodeName)) this.#once('start', pod, () => this.#start(pod));
    }
  }

  /** Runs one step for one pod. If the API server fails, the next round repeats the step. */
  #once(step: Step, pod: TestPod, work: () => Promise<void>): void {
    if (this.#hasTaken(step, pod)) return;
    const key = stepKey(step, pod);
    this.#taken.add(key);
    const task = work()
      .catch(() => void this.#taken.delete(key))
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  #hasTaken(step: Step, pod: TestPod): boolean {
    return this.#taken.has(stepKey(step, pod));
  }

  async #schedule(pod: TestPod, pods: readonly TestPod[]): Promise<void> {
    const { name } = pod.metadata;
    const excluded = findExcludedNodes(pod, pods);
    const open = (await findOpenNodes(this.#request, this.#nodes)).filter((node) => !excluded.includes(node));
    const node = open[this.#turns++ % open.length];
    if (node === undefined) throw new Error('no node accepts pods');
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    await demand(this.#request('POST', `${podPath(this.#options.namespace, name)}/binding`, binding));
  }

  async #start(pod: TestPod): Promise<void> {
    const { namespace, addressOf, onStart } = this.#options;
    const { name, uid } = pod.metadata;
    const ip = addressOf?.(pod) ?? this.#nextAddress();
    await setPodReady(this.#request, namespace, name, { ready: false, ip });
    // A pod that was deleted meanwhile must not start.
    if (this.#hasTaken('end', pod)) return;
    this.#startedPods.set(uid, pod);
    await this.#runHook(onStart, pod, this.#startsRun);
    await setPodReady(this.#request, namespace, name, { ip });
  }

  /** Returns an address that is not reachable. */
  #nextAddress(): string {
    const index = this.#addresses++;
    return `10.244.${(index >> 8) & 255}.${index & 255}`;
  }

  async #end(pod: TestPod): Promise<void> {
    const { namespace, graceMs = 500, onStop } = this.#options;
    const { name, uid } = pod.metadata;
    const limitMs = Math.min(graceMs, (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
    const grace = sleep(limitMs, undefined, { ref: false });
    await (onStop === undefined ? grace : Promise.race([this.#stopPrograms(pod), grace]));
    const body = { gracePeriodSeconds: 0, preconditions: { uid } };
    const answer = await this.#request('DELETE', podPath(namespace, name), body);
    if (answer.status !== 404 && answer.status !== 409) await demand(answer);
  }

  /** Waits for `onStart` of the pod and then calls `onStop`. */
  async #stopPrograms(pod: TestPod): Promise<void> {
    await this.#startsRun.get(pod.metadata.uid);
    await this.#runHook(this.#options.onStop, pod, this.#stopsRun);
  }

  /** Calls a hook of the test once per pod. A failure fails the test and is not retried. */
  #runHook(hook: RunPodsOptions['onStart'], pod: TestPod, ran: Map<string, Promise<void>>): Promise<void> {
    const { uid } = pod.metadata;
    const run =
      ran.get(uid) ??
      Promise.resolve(pod)
        .then(hook)
        .catch((error: unknown) => void this.#failures.push(error));
    ran.set(uid, run);
    return run;
  }
}

function stepKey(step: Step, { metadata }: TestPod): string {
  return `${step} ${metadata.uid}`;
}
