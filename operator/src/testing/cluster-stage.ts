import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { borrowKubernetes } from '../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { applyResources } from '../../../test/support/kubernetes/apply.ts';
import { setPodReady } from '../../../test/support/kubernetes/pods.ts';
import type { TestPod } from '../../../test/support/kubernetes/pods.ts';
import { demand } from '../../../test/support/kubernetes/request.ts';
import { runPods } from '../../../test/support/kubernetes/run-pods.ts';
import type { PodRunner } from '../../../test/support/kubernetes/run-pods.ts';
import { connectRedis, createLedger, LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { endAfterFile } from '../../../test/support/leftovers.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import type { KubeObject } from '@svc-asr/kubernetes';
import { LONG_LEASE } from './cluster-operator.ts';
import { startTestOperator } from './harness.ts';
import type { TestOperator } from './harness.ts';
import { LABELS } from '../workers/cluster/names.ts';

/** Slots of each test worker. */
export const SLOTS = 2;
const RENEW_MS = 200;

/** Starts a cluster with the Kubernetes controllers, so that Deployments create pods. */
export function startCluster(): Promise<Kubernetes> {
  return borrowKubernetes({ controllers: true });
}

/**
 * A namespace with an operator, a Redis and pods. The pods behave like workers: they register in the ledger, renew
 * their lease, and remove their record when they stop.
 */
export interface Stage {
  namespace: string;
  /** A further namespace for models. If `twoNamespaces` is false, this is `namespace`. */
  modelNamespace: string;
  redis: TestRedis;
  ledger: Ledger;
  operator: () => TestOperator;
  /** Restarts the operator. The additional settings apply until the next restart. */
  restartOperator: (more?: NodeJS.ProcessEnv) => Promise<void>;
  stopOperator: () => Promise<void>;
  kubectl: (args: string[], input?: object) => Promise<string>;
  apply: (resource: object) => Promise<void>;
  /** Returns the objects of a kind in a namespace, sorted by name. */
  list: (plural: string, selector?: string, within?: string) => Promise<KubeObject[]>;
  /** Makes a worker hang: its pod stays ready, but its lease expires. */
  silence: (pod: string) => void;
  close: () => Promise<void>;
}

export interface StageOptions {
  /** If false, no pods are run, and the test itself updates the status of pods as the kubelet would. */
  pods?: boolean;
  /**
   * Names of the nodes to which pods are assigned in turn. Test files that run at the same time share nodes of the same
   * name.
   */
  nodes?: readonly string[];
  /** True if models may be in `modelNamespace` too. */
  twoNamespaces?: boolean;
  /** Node whose workers never register. */
  sickNode?: string;
  /** Further settings of the operator. */
  env?: NodeJS.ProcessEnv;
  /** Further command-line directives of Redis. */
  redisOptions?: readonly string[];
}

export async function createStage(
  kubernetes: Kubernetes,
  { pods = true, nodes, twoNamespaces = false, sickNode, env = {}, redisOptions = [] }: StageOptions = {},
): Promise<Stage> {
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const namespace = await kubernetes.createNamespace(restricted);
  const modelNamespace = twoNamespaces ? await kubernetes.createNamespace(restricted) : namespace;
  const namespaces = [...new Set([namespace, modelNamespace])];
  const redis: TestRedis = await startRedis(redisOptions);
  const link = connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 });
  endAfterFile(link.close);
  const ledger = createLedger(link, { prefix: 'svc', processLeaseMs: 3000 });
  const workers = createTestWorkers(kubernetes, ledger, sickNode);
  const runners: PodRunner[] = [];
  for (const one of pods ? namespaces : []) {
    const options = { namespace: one, ...(nodes && { nodes }), onStart: workers.start, onStop: workers.stop };
    runners.push(await runPods(kubernetes.request, options));
  }
  const startOperator = (more: NodeJS.ProcessEnv = {}) =>
    startTestOperator([], redis.url, {
      KUBERNETES: kubernetes.kubeconfig,
      NAMESPACE: namespace,
      ...LONG_LEASE,
      WORKER_IMAGE: 'worker:1',
      WORKER_LOST_TIMEOUT_MS: '5000',
      STATUS_LOAD_INTERVAL_MS: '100',
      ...(twoNamespaces && { MODEL_NAMESPACES: modelNamespace, WORKER_TICKET_PUBLIC_KEYS_FILE: writeTicketKeys() }),
      ...env,
      ...more,
    });
  let operator: TestOperator | undefined = await startOperator();
  const stopOperator = async () => {
    const running = operator;
    operator = undefined;
    await running?.stop();
  };
  const kubectl = (args: string[], input?: object) =>
    kubernetes.kubectl(['-n', namespace, ...args], input && JSON.stringify(input));
  return {
    namespace,
    modelNamespace,
    redis,
    ledger,
    operator: () => {
      if (operator === undefined) throw new Error('no operator runs');
      return operator;
    },
    stopOperator,
    restartOperator: async (more) => {
      await stopOperator();
      operator = await startOperator(more);
    },
    kubectl,
    apply: (resource) => applyResources(kubernetes.request, namespace, [resource]),
    list: async (plural, selector = '', within = namespace) => {
      const [group, name] = plural.includes('/') ? plural.split('/') : ['', plural];
      const base = group === '' ? '/api/v1' : `/apis/${group ?? ''}/v1`;
      const path = `${base}/namespaces/${within}/${name ?? ''}?labelSelector=${encodeURIComponent(selector)}`;
      const { items } = (await demand(kubernetes.request('GET', path))) as { items: KubeObject[] };
      return items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    },
    silence: workers.silence,
    close: async () => {
      await stopOperator();
      workers.close();
      for (const runner of runners) await runner.stop();
      await link.close();
      await redis.stop();
    },
  };
}

/** Content of the file with the public keys of tickets. */
export const TICKET_KEYS = 'public keys of tickets';

function writeTicketKeys(): string {
  const file = join(temporaryFolder('ticket-keys'), 'keys.pem');
  writeFileSync(file, TICKET_KEYS);
  return file;
}

/** Creates the simulated workers that run in the pods of a stage. */
function createTestWorkers(kubernetes: Kubernetes, ledger: Ledger, sickNode: string | undefined) {
  const beats = new Map<string, NodeJS.Timeout>();
  const unready = new Set<string>();
  let closed = false;

  /** Repeats a call until Redis answers, as a real worker does. */
  async function persist(call: () => Promise<unknown>): Promise<void> {
    while (!closed) {
      try {
        await call();
        return;
      } catch (error) {
        if (!(error instanceof LedgerUnavailable)) throw error;
        await sleep(RENEW_MS);
      }
    }
  }

  async function beat(model: string, pod: TestPod): Promise<void> {
    const { name, namespace } = pod.metadata;
    const state = await ledger.workers.renew(model, name);
    // A real worker fails its readiness probe while it drains.
    if (state === 'draining' && !unready.has(name)) {
      unready.add(name);
      await setPodReady(kubernetes.request, namespace, name, { ready: false });
    }
    if (state === 'gone' && beats.has(name)) await register(model, pod);
  }

  async function register(model: string, { metadata: { name, labels } }: TestPod): Promise<void> {
    const revision = labels?.[LABELS.revision] ?? '';
    const tier = labels?.[LABELS.tier];
    const worker = { id: name, revision, address: 'ws://127.0.0.1:1', slots: SLOTS };
    await ledger.workers.register(model, { ...worker, ...(tier !== undefined && { tier }) });
  }

  return {
    silence: (name: string) => clearInterval(beats.get(name)),
    start: async (pod: TestPod) => {
      const model = pod.metadata.labels?.[LABELS.model];
      if (model === undefined || (sickNode !== undefined && pod.spec.nodeName === sickNode)) return;
      await persist(() => register(model, pod));
      beats.set(
        pod.metadata.name,
        setInterval(() => void beat(model, pod).catch(() => undefined), RENEW_MS),
      );
    },
    stop: async ({ metadata: { name, labels } }: TestPod) => {
      clearInterval(beats.get(name));
      beats.delete(name);
      await persist(() => ledger.workers.remove(labels?.[LABELS.model] ?? '', name));
    },
    close: () => {
      closed = true;
      for (const timer of beats.values()) clearInterval(timer);
    },
  };
}
