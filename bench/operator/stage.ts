import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Ledger } from '@svc-asr/ledger';
import type { KubeApi } from '@svc-asr/kubernetes';
import { openLedger } from '../../test/support/ledger.ts';
import { startKubernetes } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { DURABLE, startRedis } from '../../test/support/redis.ts';
import { ensureGoTools } from '../../tools/install/go-tools.ts';
import { ETCD } from '../../tools/install/programs.ts';
import { ensureInstalled } from '../../tools/install/system-package.ts';
import { createClient } from './client.ts';

const ROOT = join(import.meta.dirname, '../..');
const CRDS = ['asrmodels', 'tenants', 'apikeys'].map((name) => join(ROOT, 'crds', `${name}.yaml`));
const PROGRAMS = ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'kube-scheduler', 'kwok'] as const;

/** A cluster whose nodes exist only in the API, and a Redis that writes every change to disk. */
export interface Stage {
  kubernetes: Kubernetes;
  redisUrl: string;
  /** Creates a scene with its own namespace and ledger. */
  createScene: () => Promise<Scene>;
  close: () => Promise<void>;
}

/** One installation, with its own namespace and its own key prefix in Redis. */
export interface Scene {
  namespace: string;
  ledger: Ledger;
  /** Settings of the operator in this installation. All other settings have their defaults. */
  settings: Record<string, string>;
  client: (connections: number, onRequest?: (verb: string, code: number) => void) => KubeApi;
  close: () => Promise<void>;
}

/** Installs missing programs. Starts the cluster and Redis. */
export async function createStage(): Promise<Stage> {
  await ensureInstalled(ETCD);
  const programs = await ensureGoTools(PROGRAMS);
  const simulators = { scheduler: programs['kube-scheduler'], kwok: programs.kwok };
  const kubernetes = await startKubernetes({ controllers: true, crds: CRDS, simulators });
  const redis = await startRedis(DURABLE);
  return {
    kubernetes,
    redisUrl: redis.url,
    createScene: () => createScene(kubernetes, redis.url),
    close: async () => {
      await redis.stop();
      await kubernetes.stop();
    },
  };
}

async function createScene(kubernetes: Kubernetes, redisUrl: string): Promise<Scene> {
  const namespace = await kubernetes.createNamespace();
  const prefix = `bench-${randomUUID()}`;
  const ledger = await openLedger(redisUrl, { prefix });
  const clients: KubeApi[] = [];
  return {
    namespace,
    ledger,
    settings: {
      KUBERNETES: kubernetes.kubeconfig,
      NAMESPACE: namespace,
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: prefix,
      WORKER_IMAGE: 'example.invalid/worker:1',
    },
    client: (connections, onRequest) => {
      const client = createClient(kubernetes.kubeconfig, namespace, connections, onRequest);
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) client.close();
      await ledger.link.close();
    },
  };
}
