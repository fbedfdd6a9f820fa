import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../kubernetes.ts';
import type { Kubernetes } from '../kubernetes.ts';
import { setPodReady } from './pods.ts';
import type { TestPod } from './pods.ts';
import { demand } from './request.ts';
import { runPods } from './run-pods.ts';

const WITHIN_MS = 60_000;
const TEST_TIMEOUT_MS = 180_000;

let kubernetes: Kubernetes;
let namespace: string;

beforeAll(async () => {
  kubernetes = await borrowKubernetes({ controllers: true });
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop(), TEST_TIMEOUT_MS);
beforeEach(async () => {
  namespace = await kubernetes.createNamespace();
}, TEST_TIMEOUT_MS);

const kubectl = (...args: string[]) => kubernetes.kubectl(['-n', namespace, ...args]);
const deploy = (replicas: number) =>
  kubectl('create', 'deployment', 'app', '--image=example.com/app', `--replicas=${replicas}`);
const rolledOut = () => kubectl('rollout', 'status', 'deployment/app', '--timeout=60s');

async function pods(): Promise<TestPod[]> {
  const answer = await demand(kubernetes.request('GET', `/api/v1/namespaces/${namespace}/pods`));
  return (answer as { items: TestPod[] }).items;
}

test(
  'setPodReady marks a pod as ready, or as not ready with the option ready: false',
  async () => {
    await deploy(1);
    const pod = await eventually('there is a pod', WITHIN_MS, async () => (await pods())[0]);
    const ready = () => kubectl('get', 'deployment', 'app', '-o', 'jsonpath={.status.readyReplicas}');
    await setPodReady(kubernetes.request, namespace, pod.metadata.name);
    await eventually('the pod is ready', WITHIN_MS, async () => (await ready()) === '1');
    await setPodReady(kubernetes.request, namespace, pod.metadata.name, { ready: false });
    await eventually('the pod is not ready', WITHIN_MS, async () => (await ready()) === '');
  },
  TEST_TIMEOUT_MS,
);

test(
  'runPods starts, replaces and removes pods across a restart of the API server',
  async () => {
    const started: string[] = [];
    const stopped: string[] = [];
    const runner = await runPods(kubernetes.request, {
      namespace,
      onStart: ({ metadata }) => void started.push(metadata.uid),
      onStop: ({ metadata }) => void stopped.push(metadata.uid),
    });
    await deploy(2);
    await rolledOut();
    expect(new Set(started).size).toBe(2);
    const addresses = (await pods()).map(({ status }) => status.podIP);
    expect(new Set(addresses).size).toBe(2);

    await kubernetes.restartApiServer();
    await kubectl('set', 'image', 'deployment/app', 'app=example.com/app:2');
    await rolledOut();
    await eventually('the old pods are removed', WITHIN_MS, async () => (await pods()).length === 2);
    await kubectl('delete', 'deployment', 'app');
    await eventually('all pods are removed', WITHIN_MS, async () => (await pods()).length === 0);
    await runner.stop();
    expect(started).toHaveLength(4);
    expect([...stopped].sort()).toEqual([...started].sort());
  },
  TEST_TIMEOUT_MS,
);

test(
  'runPods keeps a deleted pod until onStop has resolved, but for at most graceMs',
  async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const options = { namespace, graceMs: WITHIN_MS, onStop: () => finished };
    const runner = await runPods(kubernetes.request, options);
    await kubectl('run', 'slow', '--image=example.com/app');
    await kubectl('wait', 'pod/slow', '--for=condition=Ready', '--timeout=60s');
    await kubectl('delete', 'pod', 'slow', '--wait=false', '--grace-period=3600');
    expect(await pods()).toMatchObject([{ metadata: { name: 'slow', deletionTimestamp: expect.any(String) } }]);
    finish();
    await eventually('the pod is removed', WITHIN_MS, async () => (await pods()).length === 0);
    await runner.stop();

    const hasty = await runPods(kubernetes.request, {
      namespace,
      graceMs: 10,
      onStop: () => new Promise(() => undefined),
    });
    await kubectl('run', 'stuck', '--image=example.com/app');
    await kubectl('wait', 'pod/stuck', '--for=condition=Ready', '--timeout=60s');
    await kubectl('delete', 'pod', 'stuck', '--timeout=60s');
    // The runner polls once more after the pod is removed, and must not wait for onStop again.
    await sleep(300);
    await hasty.stop();
  },
  TEST_TIMEOUT_MS,
);

test(
  'runPods moves the pods of a drained node to another node, and evictions respect the disruption budget',
  async () => {
    const runner = await runPods(kubernetes.request, { namespace, nodes: ['first', 'second'] });
    await deploy(4);
    await rolledOut();
    await kubectl('create', 'poddisruptionbudget', 'app', '--selector=app=app', '--max-unavailable=0');
    const allowed = () => kubectl('get', 'pdb', 'app', '-o', 'jsonpath={.status.disruptionsAllowed}');
    await eventually('the budget is counted', WITHIN_MS, async () => (await allowed()) === '0');
    const [pod] = await pods();
    const { name } = pod!.metadata;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    expect((await kubernetes.request('POST', path, eviction)).status).toBe(429);

    await kubectl('patch', 'pdb', 'app', '--type=merge', '--patch={"spec":{"maxUnavailable":1}}');
    await kubectl('drain', 'first', '--timeout=110s');
    await rolledOut();
    const nodes = (await pods())
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ spec }) => spec.nodeName);
    expect(nodes).toEqual(['second', 'second', 'second', 'second']);
    await runner.stop();
  },
  TEST_TIMEOUT_MS,
);

test(
  'runPods returns a runner whose stop() rejects if onStart failed',
  async () => {
    const runner = await runPods(kubernetes.request, {
      namespace,
      onStart: () => Promise.reject(new Error('does not start')),
    });
    await kubectl('run', 'broken', '--image=example.com/app');
    await kubectl('wait', 'pod/broken', '--for=condition=Ready', '--timeout=60s');
    await expect(runner.stop()).rejects.toMatchObject({ errors: [new Error('does not start')] });
  },
  TEST_TIMEOUT_MS,
);
